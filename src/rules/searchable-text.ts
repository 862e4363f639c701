import { foldText } from "../lib/text.ts";
import type { Mention } from "../model/mention.ts";

const folded = new WeakMap<Mention, string>();

/** Title and text of a mention, folded once for all rules. */
export function searchableText(mention: Mention): string {
  const known = folded.get(mention);
  if (known !== undefined) return known;
  const text = [mention.title, mention.text]
    .filter((part) => part !== null)
    .map(foldText)
    .join(" \n ");
  folded.set(mention, text);
  return text;
}

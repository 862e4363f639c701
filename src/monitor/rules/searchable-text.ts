import { foldText } from "../../lib/text.ts";
import type { Mention } from "../model/mention.ts";

/** All rules judge a mention before the next one: its text is folded once for all of them. */
let last: Mention | null = null;
let folded = "";

/** Title and text of a mention, folded. */
export function searchableText(mention: Mention): string {
  if (mention === last) return folded;
  const { title, text } = mention;
  if (title === null || text === null) folded = foldText(title ?? text ?? "");
  else folded = `${foldText(title)} \n ${foldText(text)}`;
  last = mention;
  return folded;
}

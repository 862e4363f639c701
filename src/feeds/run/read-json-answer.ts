import { readJson } from "../../lib/json.ts";
import { cutText } from "../../lib/text.ts";
import { FeedError } from "../common/feed-error.ts";

/** A page of a hundred posts with all their fields has about 20,000. */
const MOST_VALUES = 100_000;
const DEEPEST = 50;
/** No kind asks for more than 250 at a time; what a server lists beyond that is left out. */
const LONGEST_LIST = 1_000;
const LONGEST_VALUE = 100_000;

/**
 * The value of a JSON text, within bounds; undefined if it is not JSON. `isLoose`: headlines may come with line ends and
 * with backslashes that JSON does not know. Throws a FeedError if it has too many values for the loop.
 */
export function readJsonAnswer(text: string, isLoose: boolean): unknown {
  const value = readJson(text) ?? (isLoose ? readJson(repaired(text)) : undefined);
  refuseLarge(value);
  return value;
}

function repaired(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, " ")
    .replaceAll(/\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])|\\/g, (found) => (found === "\\" ? "\\\\" : found));
}

/** Cuts long texts and lists in place. Without recursion: JSON may be nested a million times. */
function refuseLarge(value: unknown): void {
  let level = [value];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (values > MOST_VALUES || depth > DEEPEST)
      throw new FeedError("its answer has far more values than an answer of its kind");
    const next: unknown[] = [];
    for (const parent of level) {
      if (typeof parent !== "object" || parent === null) continue;
      for (const [key, child] of Object.entries(parent)) {
        if (typeof child === "string" && child.length > LONGEST_VALUE)
          // Blanks first: a headline may have a million of them before its words.
          Reflect.set(parent, key, cutText(child.replaceAll(/\s{2,}/g, " "), LONGEST_VALUE));
        next.push(child);
        if (values + next.length > MOST_VALUES) break;
      }
      if (Array.isArray(parent)) parent.splice(LONGEST_LIST);
    }
    level = next;
  }
}

import { cleanLine } from "../../templates/escape.ts";

/** Whether a model's sentence about an incident is used. The texts that it read are hostile, and so is the sentence. */
export type SummaryCheck =
  | { readonly outcome: "Accepted"; readonly text: string }
  | { readonly outcome: "Refused"; readonly because: "Empty" | "TooLong" | "NumberOfItsOwn" | "Address" };

const LONGEST = 240;

/**
 * Whether a sentence may stand in a message: one short line, with no address, and with no number that is not in one of
 * its sources, digit by digit. Digits of all scripts count.
 */
export function checkSummary(answer: string, sources: readonly string[]): SummaryCheck {
  const text = cleanLine(answer).trim();
  if (text === "") return refused("Empty");
  if (text.length > LONGEST) return refused("TooLong");
  // A name with a dot and no blank is an address in Slack and in mail programs.
  if (/\/\/|www\.|@|\p{L}\.\p{L}{2}/u.test(text)) return refused("Address");
  const known = new Set(sources.flatMap(numbersIn));
  if (!numbersIn(text).every((number) => known.has(number))) return refused("NumberOfItsOwn");
  return { outcome: "Accepted", text };
}

function refused(because: Extract<SummaryCheck, { outcome: "Refused" }>["because"]): SummaryCheck {
  return { outcome: "Refused", because };
}

/** `1,200` and `3.5` are one number each. */
function numbersIn(text: string): readonly string[] {
  return text.match(/\p{N}+(?:[.,:]\p{N}+)*/gu) ?? [];
}

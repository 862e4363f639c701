import { cleanLine } from "../../templates/escape.ts";
import type { AlertView } from "../../templates/view.ts";

/** Asks a model what texts of mentions are about, in one sentence. Null: it has no answer. It never rejects. */
export type Summarize = (texts: readonly string[]) => Promise<string | null>;

/** Fewer say themselves what they are about. */
const LEAST_TEXTS = 3;
const MOST_KEPT = 500;
const MARK = "in a model's words, from the mentions of this message";

/**
 * Puts a model's sentence in the place of the one that is made from the texts, in messages about incidents. One answer
 * serves all receivers and edits until there is something new to say; it is not kept for long, because a mention that
 * it was made of may be forgotten.
 */
export function createSummaries(summarize: Summarize) {
  const answers = new Map<string, Promise<string | null>>();
  return async (view: AlertView, contentVersion: number): Promise<AlertView> => {
    const sources = view.mentions.map(({ title, text }) => `${title ?? ""} ${text}`.trim());
    if (view.incident === null || view.kind === "test" || sources.length < LEAST_TEXTS) return view;
    const key = [view.incident.id, view.notifyCount, view.resolvedAt !== null, contentVersion].join(" ");
    const summary = answers.get(key) ?? summarize(sources);
    answers.set(key, summary);
    for (const old of [...answers.keys()].slice(0, -MOST_KEPT)) answers.delete(old);
    const answer = await summary;
    // The next message asks again.
    if (answer === null) answers.delete(key);
    const check = checkSummary(answer ?? "", sources);
    return check.outcome === "Accepted" ? { ...view, about: `${check.text} (${MARK})` } : view;
  };
}

/** Whether a model's sentence about an incident is used. The texts that it read are hostile, and so is the sentence. */
type SummaryCheck =
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

import type { AlertView } from "../../templates/view.ts";
import { checkSummary } from "./model-summary.ts";

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
    const asked = answers.get(key) ?? summarize(sources);
    answers.set(key, asked);
    for (const old of [...answers.keys()].slice(0, -MOST_KEPT)) answers.delete(old);
    const answer = await asked;
    // The next message asks again.
    if (answer === null) answers.delete(key);
    const check = checkSummary(answer ?? "", sources);
    return check.outcome === "Accepted" ? { ...view, about: `${check.text} (${MARK})` } : view;
  };
}

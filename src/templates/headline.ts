import type { Alert } from "../model/alert.ts";
import { formatCompact, formatNumber } from "./formatters.ts";
import type { MentionView } from "./mention-view.ts";

/**
 * What happened, in a few words. An alert on a window is told by the first sentence of its `because`, which names the
 * number, what it counts and what is normal; limits in brackets are left to the full sentence, and `count` against
 * `expected` among the values becomes a factor. An alert on mentions is told by its only one, or by how
 * many it has.
 */
export function buildHeadline(alert: Alert, mentions: readonly MentionView[]): string {
  if (alert.windowTo > alert.windowFrom)
    return `${firstSentence(alert.because)}${factor(alert.values)}${newValue(alert)}`;
  const [only] = mentions;
  if (alert.mentions === 1 && only !== undefined) return describeOne(only);
  return alert.mentions === 1 ? "1 mention" : `${formatNumber(alert.mentions)} mentions`;
}

function firstSentence(because: string): string {
  const [sentence = because] = because.split(/[.;]\s/, 1);
  return sentence.replaceAll(/(?<!\s)\s*\([^()]*\)/g, "").replace(/(?<![.;\s])[.;\s]+$/, "");
}

function factor(values: Alert["values"]): string {
  const count = values["count"];
  const expected = values["expected"];
  if (count === undefined || expected === undefined || expected < 0.5) return "";
  const times = count / expected;
  return times < 1.5 ? "" : ` (${formatNumber(times >= 10 ? Math.round(times) : times)}×)`;
}

/** "a hashtag never seen here before: …" is told with the hashtag, which stands in a label. */
function newValue({ because, labels }: Alert): string {
  const facet = /^an? (\w+) never seen/.exec(because)?.[1];
  const value = facet === undefined ? undefined : labels[facet];
  return value === undefined ? "" : `, ${value}`;
}

function describeOne(mention: MentionView): string {
  const sentiment = mention.sentiment === null ? "" : `${mention.sentiment} `;
  const audience = mention.followers === null ? "" : ` (${formatCompact(mention.followers)} followers)`;
  return `${sentiment}mention by ${mention.authorName}${audience}`;
}

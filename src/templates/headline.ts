import type { Alert } from "../model/alert.ts";
import { formatCompact, formatNumber } from "./formatters.ts";
import type { MentionView } from "./mention-view.ts";
import type { AlertView } from "./view.ts";

/**
 * What happened, in a few words. For an alert on a window it is the first sentence of `because`, which has the number,
 * what it counts and what is normal, without the limits in brackets; the values `count` and `expected` become a factor.
 * For an alert on mentions it is the only mention, or their number.
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

/** Adds the hashtag, which is in a label, to "a hashtag never seen here before: …". */
function newValue({ because, labels }: Alert): string {
  const facet = /^an? (\w+) never seen/.exec(because)?.[1];
  const value = facet === undefined ? undefined : labels[facet];
  return value === undefined ? "" : `, ${value}`;
}

/**
 * The whole announcement, with the brand: "Northwind: 62 negative mentions in 30 min, 11 expected"; of mentions with the
 * person: "Helena Brandt (184k followers, verified) is negative about Northwind".
 */
export function announce(
  alert: Alert,
  headline: string,
  mentions: readonly MentionView[],
): AlertView["announcement"] {
  const [first] = mentions;
  if (alert.windowTo > alert.windowFrom || first === undefined)
    return { query: alert.queryName, text: headline };
  const does =
    first.sentiment === "negative" || first.sentiment === "positive"
      ? `is ${first.sentiment} about`
      : "mentions";
  if (alert.mentions === 1)
    return { query: null, text: `${describePerson(first)} ${does} ${alert.queryName}` };
  const others = alert.mentions - 1;
  const more = `${formatNumber(others)} more ${others === 1 ? "mention" : "mentions"}`;
  if (alert.labels["author"] !== undefined)
    return { query: null, text: `${describePerson(first)} ${does} ${alert.queryName}, ${more}` };
  return { query: alert.queryName, text: `${describePerson(first)} and ${more}` };
}

function describePerson({ authorName, followers, verified }: MentionView): string {
  const facts = [
    ...(followers === null || followers < 1 ? [] : [`${formatCompact(followers)} followers`]),
    ...(verified ? ["verified"] : []),
  ];
  return facts.length === 0 ? authorName : `${authorName} (${facts.join(", ")})`;
}

function describeOne(mention: MentionView): string {
  const sentiment = mention.sentiment === null ? "" : `${mention.sentiment} `;
  return `${sentiment}mention by ${describePerson(mention)}`;
}

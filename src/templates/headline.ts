import { formatDuration } from "../lib/duration.ts";
import type { Alert } from "../model/alert.ts";
import { formatCompact, formatNumber } from "./formatters.ts";
import type { MentionView } from "./mention-view.ts";

/**
 * What happened, as a number against what is normal, from the numbers a rule left behind. Names that are understood:
 * `count` (or `observed`), `usual` (or `expected`, or `usualLow` and `usualHigh`), `share` and `usualShare` (0 to 1),
 * `of` (the whole that `share` speaks of). An alert without them is told by its only mention, or by how many it has.
 */
export function buildHeadline(alert: Alert, mentions: readonly MentionView[]): string {
  const { values } = alert;
  const share = values["share"];
  if (share !== undefined) {
    const of = values["of"] ?? values["total"] ?? alert.mentions;
    const usual = values["usualShare"];
    const normal = usual === undefined ? "" : `, usually ${percent(usual)}`;
    return `${percent(share)} negative of ${plural(of)}${inWindow(alert)}${normal}`;
  }
  const count = values["count"] ?? values["observed"];
  if (count !== undefined) return `${plural(count)}${inWindow(alert)}${usually(values, count)}`;
  const [only] = mentions;
  if (alert.mentions === 1 && only !== undefined) return tellOne(only);
  return plural(alert.mentions);
}

function usually(values: Alert["values"], count: number): string {
  const low = values["usualLow"];
  const high = values["usualHigh"];
  if (low !== undefined && high !== undefined) {
    return `, usually ${formatNumber(Math.round(low))} to ${formatNumber(Math.round(high))}`;
  }
  const usual = values["usual"] ?? values["expected"];
  if (usual === undefined) return "";
  if (usual < 0.5) return ", usually none";
  const normal = formatNumber(usual >= 10 ? Math.round(usual) : usual);
  const times = count / usual;
  if (times < 1.5) return `, usually ${normal}`;
  return `, ${formatNumber(times >= 10 ? Math.round(times) : times)}× the usual ${normal}`;
}

function inWindow({ windowFrom, windowTo }: Alert): string {
  return windowTo > windowFrom ? ` in ${inWords(windowTo - windowFrom)}` : "";
}

/** `30 min`, `2 h`, `1 h 30 min`. */
function inWords(ms: number): string {
  return formatDuration(ms).replaceAll(/(\d+)([a-z]+)/g, (_, amount: string, unit: string) => {
    return `${amount} ${unit === "m" ? "min" : unit}`;
  });
}

function tellOne(mention: MentionView): string {
  const sentiment = mention.sentiment === null ? "" : `${mention.sentiment} `;
  const audience = mention.followers === null ? "" : ` (${formatCompact(mention.followers)} followers)`;
  return `${sentiment}mention by ${mention.authorName}${audience}`;
}

function plural(count: number): string {
  return count === 1 ? "1 mention" : `${formatNumber(count)} mentions`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

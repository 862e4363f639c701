import type { Instant } from "../lib/instant.ts";
import type { CountChange } from "../model/count-change.ts";
import { eventAt, type Mention } from "../model/mention.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { MentionRule, Rule } from "../rules/rule.ts";
import type { Series } from "../rules/window-condition.ts";
import type { VoiceChange } from "./count-voices.ts";
import { describeChange } from "./describe-change.ts";
import { createTally } from "./tally.ts";

/** A mention that is new (`before` null) or that changed since it was stored. */
export interface MentionChange {
  readonly before: Mention | null;
  readonly after: Mention;
}

/** A mention met a mention rule. */
export interface MentionEvidence {
  readonly rule: MentionRule;
  readonly mention: Mention;
  /** When it arrived, or when it changed into what meets the rule. */
  readonly at: Instant;
  readonly because: string;
}

export interface JudgedPage {
  readonly counts: readonly CountChange[];
  /** For series that count each voice once. */
  readonly voices: readonly VoiceChange[];
  readonly evidence: readonly MentionEvidence[];
}

/**
 * What a page means: the counts that it adds to or takes from, and the mention rules that it meets. Rules are those
 * of the query. Everything is put into the arrival bucket of its own time, or into the first one that is still open
 * when that has been judged already, so that no count is changed behind a verdict. Only the series in `counted` are:
 * the others get their history first (prepareSeries).
 */
export function judgePage(
  rules: readonly Rule[],
  query: Pick<WatchedQuery, "watchFrom" | "tickedUntil">,
  counted: ReadonlySet<string>,
  changes: readonly MentionChange[],
): JudgedPage {
  const tally = createTally();
  const voices: VoiceChange[] = [];
  const evidence: MentionEvidence[] = [];
  const series = seriesOf(rules).filter((one) => counted.has(one.key));
  const mentionRules = rules.filter((rule) => rule.kind === "mention");
  const count = (one: Series, arrivedAt: Instant, mention: Mention, n: 1 | -1): void => {
    const change = voiceChangeOf(one, arrivedAt, mention, n);
    if (change === undefined) tally.add(one.key, arrivedAt, eventAt(mention), n);
    else voices.push(change);
  };
  for (const { before, after } of changes) {
    const at = before === null ? after.addedAt : after.updatedAt;
    const arrived = Math.max(at, query.tickedUntil);
    for (const one of series) {
      const was = before !== null && one.counts(before);
      const is = one.counts(after);
      if (was) count(one, arrived, before, -1);
      if (is) count(one, arrived, after, 1);
    }
    if (at < query.watchFrom) continue;
    for (const rule of mentionRules) {
      const verdict = rule.judge(after);
      if (!verdict.met || (before !== null && rule.judge(before).met)) continue;
      const because =
        before === null ? verdict.because : `${verdict.because}; ${describeChange(before, after)}`;
      evidence.push({ rule, mention: after, at, because });
    }
  }
  return { counts: tally.changes(), voices, evidence };
}

/** Undefined for a series that counts every mention. */
export function voiceChangeOf(
  series: Series,
  arrivedAt: Instant,
  mention: Mention,
  n: 1 | -1,
): VoiceChange | undefined {
  const speaker = series.voice?.(mention);
  return speaker === undefined
    ? undefined
    : { series: series.key, speaker, arrivedAt, eventAt: eventAt(mention), n };
}

/** What the window rules count, each once. */
export function seriesOf(rules: readonly Rule[]): readonly Series[] {
  const series = rules.flatMap((rule) => (rule.kind === "window" ? rule.window.series : []));
  return [...new Map(series.map((one) => [one.key, one])).values()];
}

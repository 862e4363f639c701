import { formatMinutes } from "../../../lib/duration.ts";
import { DAY, floorTo, HOUR, type Instant, MINUTE } from "../../../lib/instant.ts";
import { type Alert, Explanation } from "../../model/alert.ts";
import { BUCKET_MS } from "../../model/judging.ts";
import type { Mention } from "../../model/mention.ts";
import type { Notification } from "../../model/notification.ts";
import { expectCounts } from "../../rules/expected-counts.ts";
import type { Rule } from "../../rules/rule.ts";
import type { Facts } from "../../store/stores.ts";
import { type ExpectedBucket, largestSince, onsetOf, windowBars } from "./explain-counts.ts";

/**
 * The explanation of an alert on counts, of all its mentions until `now`. Who says it and in which mood is read again for
 * each message: mentions come late, are judged anew and are deleted. What came before, and the chart, are kept for each
 * reason to notify. Null for alerts on single mentions, which need none.
 */
export async function explainAlert(
  stores: Facts,
  alert: Alert,
  rule: Rule | undefined,
  { now, span, content, kind = null }: ExplainOptions,
): Promise<Explanation | null> {
  const stored = Explanation.safeParse(content.explanation);
  const isOver = alert.resolvedAt !== null;
  const isSame =
    stored.success && stored.data.notifyCount === alert.notifyCount && isOfWindow(stored.data, alert);
  const isFresh = isSame && !isOver && now - (stored.data.madeAt ?? 0) < FRESH_MS;
  if (isFresh || (isSame && isOver && isFinalUntil(stored.data, span.to))) {
    const completeUntil = await stores.polls.completeUntil(alert.projectId, alert.queryId);
    return { ...stored.data, completeUntil };
  }
  if (rule === undefined || rule.kind === "mention") return stored.success ? stored.data : null;
  // Read again when it is resolved: the last chart shows how it went. And for a reminder, which says what is now.
  const isReminder = kind === "reminder" || kind === "unanswered";
  const known = isSame && !isOver && !isReminder ? stored.data : null;
  const explanation = {
    ...(await findOut(stores, alert, rule, { from: span.from, to: span.to, known })),
    madeAt: now,
    ...(isOver && { isFinal: true }),
  };
  await stores.alerts.explain(alert.projectId, alert.id, explanation, content.version);
  return explanation;
}

interface ExplainOptions {
  readonly now: Instant;
  /** The mentions of this time are read: that of its incident, or of the alert until now. */
  readonly span: { readonly from: Instant; readonly to: Instant };
  /** Read before its mentions. */
  readonly content: Pick<Awaited<ReturnType<Facts["erasures"]["contentOf"]>>, "version" | "explanation">;
  readonly kind?: Notification["kind"] | null;
}

/** The messages to several receivers share what was read for the first. */
const FRESH_MS = MINUTE;

/** Made after this end: what opened again and ended once more has a later one. */
function isFinalUntil({ isFinal, span }: Explanation, end: Instant): boolean {
  return isFinal === true && (span === undefined || span.to === end);
}

/** A message has one window: its sentence, its findings and its chart are of the same. */
function isOfWindow({ windowTo, chart }: Explanation, alert: Alert): boolean {
  const widthMs = Math.max(BUCKET_MS, alert.windowTo - alert.windowFrom);
  return (windowTo ?? alert.windowTo) === alert.windowTo && (chart === null || chart.columnMs === widthMs);
}

/** `known`: what was found before, of which only the mentions are read again. */
async function findOut(
  stores: Facts,
  alert: Alert,
  rule: Exclude<Rule, { kind: "mention" }>,
  { from, to, known }: ExplainOptions["span"] & { readonly known: Explanation | null },
): Promise<Explanation> {
  const [now, before, completeUntil] = await Promise.all([
    mentionsIn(stores, alert, from, to, MOST_NOW),
    sameHoursBefore(stores, alert),
    stores.polls.completeUntil(alert.projectId, alert.queryId),
  ]);
  const isCounted = matcherOf(rule, alert);
  // What the alert counts: of a share its part, not all that it is a part of.
  const counts = rule.kind === "window" ? rule.window.series[0]?.counts : undefined;
  const isLooked = (mention: Mention): boolean => counts?.(mention) ?? rule.judge(mention).met;
  // Only here: it brings lists of words of sixty languages, which a process that explains nothing does not wait for.
  const { explainChange } = await import("./explain-change.ts");
  return {
    notifyCount: alert.notifyCount,
    windowTo: alert.windowTo,
    span: { from, to },
    ...(known === null ? await countsBefore(stores, alert, rule) : countsOf(known)),
    ...(await explainChange({
      slice: now.filter((mention) => isLooked(mention) && isCounted(mention)),
      sliceBefore: before.filter(isLooked),
      now,
      before,
    })),
    // Of more than are read, the number of authors is not known.
    ...(now.length >= MOST_NOW && { authors: { count: 0, loudest: [] } }),
    completeUntil,
  };
}

type CountsBefore = Pick<Explanation, "since" | "largest" | "chart">;

function countsOf({ since, largest, chart }: Explanation): CountsBefore {
  return { since, largest, chart };
}

async function countsBefore(
  stores: Facts,
  alert: Alert,
  rule: Exclude<Rule, { kind: "mention" }>,
): Promise<CountsBefore> {
  const history = rule.kind === "window" ? await countHistory(stores, alert, rule) : null;
  if (history === null) return { since: null, largest: null, chart: null };
  const since = onsetOf(history.buckets, alert.windowTo);
  const counted = alert.values["count"];
  return {
    since,
    largest:
      counted === undefined || history.type === "absence"
        ? null
        : largestSince(
            history.buckets,
            Math.round((alert.windowTo - alert.windowFrom) / BUCKET_MS),
            counted,
            Math.min(since ?? alert.windowFrom, alert.windowFrom),
          ),
    chart: history.chart,
  };
}

const MOST_NOW = 2_000;
const MOST_A_DAY = 300;
const DAYS_BEFORE = 7;

/** Which of the mentions that met the rule this alert is about: for a new value, the mentions that have it. */
export function matcherOf(rule: Rule, alert: Alert): (mention: Mention) => boolean {
  if (rule.kind !== "new") return () => true;
  const { facet, values } = rule.novelty;
  const label = alert.labels[facet]?.toLowerCase();
  return (mention) => values(mention).some((value) => value.toLowerCase() === label);
}

async function mentionsIn(
  stores: Facts,
  { projectId, queryId }: Alert,
  from: Instant,
  to: Instant,
  limit: number,
): Promise<readonly Mention[]> {
  const found = await stores.mentions.inWindow(projectId, queryId, from, to, limit);
  return found.map(({ mention }) => mention);
}

/** The hours of the window and one on each side, on each of the days before; for a young query, all that there is. */
async function sameHoursBefore(stores: Facts, alert: Alert): Promise<readonly Mention[]> {
  const days: Mention[] = [];
  const length = Math.min(alert.windowTo - alert.windowFrom, DAY - 2 * HOUR);
  for (let day = 1; day <= DAYS_BEFORE; day++) {
    const from = alert.windowFrom - day * DAY - HOUR;
    days.push(...(await mentionsIn(stores, alert, from, from + length + 2 * HOUR, MOST_A_DAY)));
  }
  if (days.length >= ENOUGH_BEFORE) return days;
  return mentionsIn(stores, alert, alert.windowFrom - 3 * DAY, alert.windowFrom, MOST_NOW);
}

const ENOUGH_BEFORE = 50;

interface CountHistory {
  /** The type of the condition. */
  readonly type: string;
  readonly buckets: readonly ExpectedBucket[];
  readonly chart: Explanation["chart"];
}

/** The counts of the alert's series up to its window, by event time, with what the detector expects of such a series. */
async function countHistory(
  stores: Facts,
  alert: Alert,
  { window }: Extract<Rule, { kind: "window" }>,
): Promise<CountHistory | null> {
  const [series] = window.series;
  const to = Math.max(alert.windowTo, floorTo(alert.lastSeenAt, BUCKET_MS));
  if (series === undefined) return null;
  const { projectId, queryId } = alert;
  const [counts, query] = await Promise.all([
    stores.counts.byEvent(projectId, queryId, series.key, to - LONGEST_HISTORY_MS, to),
    stores.queries.find(projectId, queryId),
  ]);
  const zone = window.timezone ?? query?.timezone;
  const [first] = counts;
  if (first === undefined) return null;
  const { buckets, ordinary } = expectCounts(counts, first.bucket, to, zone);
  const { type } = window;
  if (type === "trend") return { type, buckets, chart: null };
  const windowMs = Math.max(BUCKET_MS, alert.windowTo - alert.windowFrom);
  const width = Math.round(windowMs / BUCKET_MS);
  const columns = windowBars(buckets, alert.windowTo, width).map(({ at, count, expected }) => ({
    at,
    count,
    expected: rounded(expected),
    ordinary: ordinary(expected, width),
  }));
  const counted = `${window.subject} in ${formatMinutes(windowMs)}`;
  return { type, buckets, chart: { counted, columnMs: width * BUCKET_MS, columns } };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

const LONGEST_HISTORY_MS = 60 * DAY;

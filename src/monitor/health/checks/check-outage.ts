import { formatDuration } from "../../../lib/duration.ts";
import { groupBy } from "../../../lib/group-by.ts";
import { type Instant, MINUTE, SECOND } from "../../../lib/instant.ts";
import { sentence } from "../../../lib/text.ts";
import type { Outage } from "../../model/failure.ts";
import type { HealthProblem } from "../../model/operator-rules.ts";
import type { HealthCheck } from "../define-check.ts";

type OutageVerdict =
  /** Too short for a message, or too long ago; the console shows it. */
  | { readonly outcome: "OnThePage" }
  /** An alert already reported during the outage that the queue stands still. */
  | { readonly outcome: "NotifiedMeanwhile" }
  | { readonly outcome: "WorthNotifying"; readonly outage: Outage; readonly because: string };

/** A shorter outage is a restart, which needs no message. */
const SHORTEST_MS = 20 * SECOND;
/** An outage is known only after its end. Its alert stays open for so long, so that people still see it. */
export const OUTAGE_STANDS_MS = 10 * MINUTE;
/** An engine that comes back empty does so within this time of its return. */
const SAME_RETURN_MS = MINUTE;

/**
 * Whether the operators are notified of the recent outages of one engine, in one message. `queueAlert`: when an alert
 * was open that the queue stands still.
 */
export function checkOutages(
  outages: readonly Outage[],
  queueAlert: { readonly from: Instant; readonly to: Instant } | null,
  now: Instant,
): OutageVerdict {
  const recent = outages.filter(({ to }) => now - to <= OUTAGE_STANDS_MS).toSorted((a, b) => a.to - b.to);
  const reported = recent.filter(
    ({ engine, from, to }) =>
      engine === "queue" &&
      queueAlert !== null &&
      from <= queueAlert.to &&
      queueAlert.from - SAME_RETURN_MS <= to,
  );
  const news = recent
    .filter((one) => !reported.includes(one))
    .filter(({ outcome, from, to }) => outcome === "Emptied" || to - from >= SHORTEST_MS);
  const newest = news.at(-1);
  if (newest === undefined) return { outcome: reported.length > 0 ? "NotifiedMeanwhile" : "OnThePage" };
  const away = news.findLast(({ outcome }) => outcome === "Away");
  const sentences = [
    ...(away === undefined ? [] : [describeAway(away)]),
    ...(news.some(({ outcome }) => outcome === "Emptied") ? [EMPTIED] : []),
  ];
  return { outcome: "WorthNotifying", outage: away ?? newest, because: sentences.join(". ") };
}

function describeAway({ engine, from, to, because }: Outage): string {
  const error = because === null ? "" : ` The reason: ${sentence(because)}`;
  return `nothing was watched for ${formatDuration(to - from)}: ${WHO[engine]}.${error} It is over, and nothing is lost: what was published meanwhile is read now, so alerts about it come late. ${ADVICE[engine]}`;
}

const WHO: Readonly<Record<Outage["engine"], string>> = {
  database: "PostgreSQL could not be reached",
  queue: "the queue could not be reached",
  earshot: "no process of Earshot ran",
};

const ADVICE: Readonly<Record<Outage["engine"], string>> = {
  database: "If nobody restarted PostgreSQL, look at its log",
  queue: "If nobody restarted Redis (or PostgreSQL, where there is none), look at its log",
  earshot: "If nobody stopped it, look at its log and at what starts it",
};

const EMPTIED =
  "The queue came back empty. Its jobs were made again from the database, so nothing is lost. If it is Redis, let it keep its data (appendonly yes) and keep other programs from flushing it; earshot doctor checks both";

/** What was away; all outages of one engine are one problem. */
export const outageCheck: HealthCheck = ({ outages, queueAlert, now }) =>
  [...groupBy(outages, ({ engine }) => engine)].flatMap(([engine, ofEngine]): HealthProblem[] => {
    const verdict = checkOutages(ofEngine, queueAlert, now);
    if (verdict.outcome !== "WorthNotifying") return [];
    const { from, to } = verdict.outage;
    const { because } = verdict;
    return [
      { rule: "engine-was-away", labels: { engine }, since: from, because, values: { forMs: to - from } },
    ];
  });

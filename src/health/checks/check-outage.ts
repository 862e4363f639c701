import { formatDuration } from "../../lib/duration.ts";
import { type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import type { Outage } from "../../model/outage.ts";

export type OutageVerdict =
  /** Too short to be worth a message, or too long ago; the page has it. */
  | { readonly outcome: "OnThePage" }
  /** That the queue stands still was told while it did. */
  | { readonly outcome: "ToldMeanwhile" }
  | { readonly outcome: "WorthTelling"; readonly outage: Outage; readonly because: string };

/** What is shorter is a restart, which nobody has to be told of. */
const SHORTEST_MS = 20 * SECOND;
/** An outage is over when it is known. As an alert it stands for so long, so that who looks now still sees it. */
export const OUTAGE_STANDS_MS = 10 * MINUTE;
/** An engine that comes back empty does so within this time of its return. */
const SAME_RETURN_MS = MINUTE;

/**
 * Whether the operators hear of what one engine went through lately, and in which words: all of it is one message.
 * `queueAlert`: when they were told that the queue stands still.
 */
export function checkOutages(
  outages: readonly Outage[],
  queueAlert: { readonly from: Instant; readonly to: Instant } | null,
  now: Instant,
): OutageVerdict {
  const recent = outages.filter(({ to }) => now - to <= OUTAGE_STANDS_MS).toSorted((a, b) => a.to - b.to);
  const told = recent.filter(
    ({ engine, from, to }) =>
      engine === "queue" &&
      queueAlert !== null &&
      from <= queueAlert.to &&
      queueAlert.from - SAME_RETURN_MS <= to,
  );
  const news = recent
    .filter((one) => !told.includes(one))
    .filter(({ outcome, from, to }) => outcome === "emptied" || to - from >= SHORTEST_MS);
  const newest = news.at(-1);
  if (newest === undefined) return { outcome: told.length > 0 ? "ToldMeanwhile" : "OnThePage" };
  const away = news.findLast(({ outcome }) => outcome === "away");
  const emptied = news.findLast(({ outcome }) => outcome === "emptied");
  const sentences = [
    ...(away === undefined ? [] : [describeAway(away)]),
    ...(emptied === undefined ? [] : [EMPTIED]),
  ];
  return { outcome: "WorthTelling", outage: away ?? newest, because: sentences.join(". ") };
}

function describeAway({ engine, from, to, because }: Outage): string {
  const error = because === null ? "" : ` (${because})`;
  return `${WHO[engine]} for ${formatDuration(to - from)}${error}. Work went on by itself afterwards: nothing is lost, and what was said meanwhile is read now`;
}

const WHO: Readonly<Record<Outage["engine"], string>> = {
  database: "PostgreSQL could not be reached",
  queue: "the queue could not be reached",
  earshot: "no process of Earshot worked",
};

const EMPTIED =
  "The queue came back empty. Its jobs were made again from the tables, so nothing is lost. If it was Redis: give it persistence (appendonly yes) and keep others from flushing it; earshot doctor looks at both";

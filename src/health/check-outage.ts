import { formatDuration } from "../lib/duration.ts";
import { type Instant, MINUTE, SECOND } from "../lib/instant.ts";
import type { Outage } from "../model/outage.ts";
import { ENGINE_PATIENCE_MS } from "./check-queue.ts";

export type OutageVerdict =
  /** Too short to be worth a message, or too long ago; the page has it. */
  | { readonly outcome: "OnThePage" }
  /** A queue that stands still is told while it does. */
  | { readonly outcome: "ToldMeanwhile" }
  | { readonly outcome: "WorthTelling"; readonly because: string };

/** What is shorter is a restart, which nobody has to be told of. */
const SHORTEST_MS = 20 * SECOND;
/** An outage is over when it is known. As an alert it stands for so long, so that who looks now still sees it. */
export const OUTAGE_STANDS_MS = 10 * MINUTE;

/** Whether the operators hear of an outage, and in which words. `standstillMs`: as in the settings. */
export function checkOutage(outage: Outage, standstillMs: number, now: Instant): OutageVerdict {
  if (now - outage.to > OUTAGE_STANDS_MS) return { outcome: "OnThePage" };
  if (outage.outcome === "emptied") return { outcome: "WorthTelling", because: EMPTIED };
  const tookMs = outage.to - outage.from;
  if (tookMs < SHORTEST_MS) return { outcome: "OnThePage" };
  if (outage.engine === "queue" && tookMs > Math.min(ENGINE_PATIENCE_MS, standstillMs))
    return { outcome: "ToldMeanwhile" };
  const error = outage.because === null ? "" : ` (${outage.because})`;
  return {
    outcome: "WorthTelling",
    because: `${WHO[outage.engine]} for ${formatDuration(tookMs)}${error}. Work went on by itself afterwards: nothing is lost, and what was said meanwhile is read now`,
  };
}

const WHO: Readonly<Record<Outage["engine"], string>> = {
  database: "PostgreSQL could not be reached",
  queue: "the queue could not be reached",
  earshot: "no process of Earshot worked",
};

const EMPTIED =
  "the queue came back empty. Its jobs were made again from the tables, so nothing is lost. If it was Redis: give it persistence (appendonly yes) and keep others from flushing it; earshot doctor looks at both";

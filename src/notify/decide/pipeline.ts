import type { Instant } from "../../lib/instant.ts";
import {
  type Batch,
  type Candidate,
  EMPTY_CONTEXT,
  type NotifyContext,
  type ReceiverTerms,
  type Stage,
} from "./batch.ts";
import { dedup } from "./stages/dedup.ts";
import { expire } from "./stages/expire.ts";
import { group } from "./stages/group.ts";
import { inhibit } from "./stages/inhibit.ts";
import { quietHours } from "./stages/quiet-hours.ts";
import { silence } from "./stages/silence.ts";
import { throttle } from "./stages/throttle.ts";

/**
 * The way of an alert to a receiver, in the order in which it is walked. What is held does not count as told, because
 * `Told` is only written for what comes out in `say`.
 */
const STAGES: readonly Stage[] = [dedup, expire, silence, inhibit, quietHours, group, throttle];

/** Sorts the matters of one receiver into what is said now, held and dropped. None is lost, none is there twice. */
export function runPipeline(
  candidates: readonly Candidate[],
  receiver: ReceiverTerms,
  now: Instant,
  context: NotifyContext = EMPTY_CONTEXT,
): Batch {
  // What is said for certain is only known after `compare`; until then every matter is a candidate.
  const outgoing = candidates.map(
    (candidate) => ({ candidate, kind: "fired", reason: "FirstNotification" }) as const,
  );
  const start: Batch = { receiver, now, context, send: outgoing, held: [], dropped: [] };
  return STAGES.reduce((batch, stage) => stage(batch), start);
}

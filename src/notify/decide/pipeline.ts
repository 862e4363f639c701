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

/** The stages in their order. A held alert does not count as notified: `LastNotified` is only written for `send`. */
const STAGES: readonly Stage[] = [dedup, expire, silence, inhibit, quietHours, group, throttle];

/** Sorts the candidates of one receiver into send, held and dropped. Each ends up in exactly one of them. */
export function runPipeline(
  candidates: readonly Candidate[],
  receiver: ReceiverTerms,
  now: Instant,
  context: NotifyContext = EMPTY_CONTEXT,
): Batch {
  // Only `dedup` knows what is really sent; until then every candidate may be.
  const outgoing = candidates.map(
    (candidate) => ({ candidate, kind: "fired", reason: "FirstNotification" }) as const,
  );
  const start: Batch = { receiver, now, context, send: outgoing, held: [], dropped: [] };
  return STAGES.reduce((batch, stage) => stage(batch), start);
}

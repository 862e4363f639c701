import { Readable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import type { FastifyInstance } from "fastify";
import type { CallFaults } from "./call-faults.ts";
import { cutOf } from "./cut-of.ts";
import { amountOf } from "./fault-kinds.ts";
import type { FaultSwitch } from "./fault-switch.ts";

/** Faults of a finished answer. They happen before it is compressed, so that a half body is half a JSON text. */
export function disturbAnswers(app: FastifyInstance, faults: FaultSwitch): void {
  app.addHook("onSend", async (_request, reply, payload) => {
    const call = faults.current();
    if (call === null || reply.statusCode >= 300) return payload;
    // Long pages are streams. With faults they are held whole: speed does not count then.
    const whole = payload instanceof Readable ? await readAll(payload) : payload;
    if (typeof whole !== "string") return payload;
    const disturbed = await disturbEnvelope(call, whole);
    if ((await cutOf(call))?.kind !== "truncated") return disturbed;
    const bytes = Buffer.from(disturbed);
    return bytes.subarray(0, bytes.byteLength >> 1);
  });
}

interface MentionsEnvelope {
  readonly results: readonly unknown[];
  resultsTotal: number;
  scaledResultsTotal?: number;
  readonly resultsPageSize: number;
  nextCursor?: string;
}

async function disturbEnvelope(call: CallFaults, payload: string): Promise<string> {
  if (!/^\{"results":\[/.test(payload) || !payload.includes('"resultsPageSize"')) return payload;
  const envelope = JSON.parse(payload) as MentionsEnvelope;
  const total = await call.take("wrong-total");
  if (total) {
    envelope.resultsTotal += amountOf(total);
    if (envelope.scaledResultsTotal !== undefined) envelope.scaledResultsTotal += amountOf(total);
  }
  const isLast = envelope.results.length < envelope.resultsPageSize;
  const ends = isLast ? await call.take("cursor-ends") : undefined;
  if (ends) delete envelope.nextCursor;
  return total || ends ? JSON.stringify(envelope) : payload;
}

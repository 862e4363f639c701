import { Readable } from "node:stream";
import { buffer, text as readAll } from "node:stream/consumers";
import type { FastifyInstance } from "fastify";
import { amountOf } from "../store/fault-kinds.ts";
import type { CallFaults, FaultSwitch, HappeningFault } from "./fault-switch.ts";

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

/** Connections that break in the middle of an answer. After everything else that is done to it. */
export function breakAnswers(app: FastifyInstance, faults: FaultSwitch): void {
  app.addHook("onSend", async (_request, reply, payload) => {
    const call = faults.current();
    if (call === null || reply.statusCode >= 300 || (await cutOf(call))?.kind !== "hang-up") return payload;
    const bytes = await bytesOf(payload);
    reply.header("content-length", bytes.byteLength);
    return breaksAfter(bytes.subarray(0, bytes.byteLength >> 1));
  });
}

async function bytesOf(payload: unknown): Promise<Buffer> {
  if (payload instanceof Readable) return buffer(payload);
  return Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload ?? ""));
}

/** A body that ends before its time. */
function breaksAfter(part: Buffer): Readable {
  let isSent = false;
  return new Readable({
    read() {
      if (!isSent) this.push(part);
      else setImmediate(() => this.destroy(new Error("a fault on request broke the connection")));
      isSent = true;
    },
  });
}

/** How the body of an answer is cut, if it is: one answer is cut in one way, and the other waits for the next. */
function cutOf(call: CallFaults): Promise<HappeningFault | undefined> {
  return call.take("truncated", "hang-up");
}

import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { FastifyInstance } from "fastify";
import { cutOf } from "./cut-of.ts";
import type { FaultSwitch } from "./fault-switch.ts";

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

import { createHash } from "node:crypto";
import type { Step } from "../gate.ts";
import type { AnswerChunk, Reader, RequestChunk } from "./relay.ts";

/**
 * RESP: each command is a step that changes something, except those that only read or wait, and what the queue does by
 * its timers. Answers come in the order of the commands. Scripts are known by their names once they were sent whole,
 * by whichever connection.
 */
export function readRedis(): Reader {
  let said: Buffer = Buffer.alloc(0);
  let answered: Buffer = Buffer.alloc(0);
  const open: (Step | null)[] = [];
  return {
    said: (chunk) => {
      said = Buffer.concat([said, chunk]);
      const out: RequestChunk[] = [];
      for (let end = endOf(said, 0); end !== -1; end = endOf(said, 0)) {
        const bytes = said.subarray(0, end);
        said = said.subarray(end);
        const step = stepOf(words(bytes));
        open.push(step);
        out.push({ bytes, step });
      }
      return out;
    },
    answered: (chunk) => {
      answered = Buffer.concat([answered, chunk]);
      const out: AnswerChunk[] = [];
      for (let end = endOf(answered, 0); end !== -1; end = endOf(answered, 0)) {
        const bytes = answered.subarray(0, end);
        answered = answered.subarray(end);
        const step = open.shift() ?? null;
        out.push({ bytes, ends: step === null ? null : { leaves: leavesSomething(step, bytes) } });
      }
      return out;
    },
  };
}

/** Names of scripts by the hash under which they are called again. */
const scripts = new Map<string, string>();

function stepOf([command = "", first = ""]: readonly string[]): Step | null {
  const name = command.toLowerCase();
  if (name === "eval") {
    const script = /^\s*--\[\[\s*(.+?)\s*\n/.exec(first)?.[1] ?? "a script";
    scripts.set(createHash("sha1").update(first).digest("hex"), script);
    return named(script);
  }
  if (name === "evalsha") return named(scripts.get(first) ?? first);
  return PLAIN_WRITES.has(name) ? named(name) : null;
}

const PLAIN_WRITES = new Set([
  "set",
  "del",
  "hset",
  "hmset",
  "hdel",
  "zadd",
  "zrem",
  "sadd",
  "srem",
  "xadd",
  "xtrim",
]);

function named(script: string): Step | null {
  return /get |check|extend|stalled|counts|is |paginate/i.test(script)
    ? null
    : { peer: "redis", name: script };
}

/** A fetch that found no job begins with nothing; an error has done nothing. */
function leavesSomething({ name }: Step, answer: Buffer): boolean {
  const text = answer.toString("latin1", 0, 12);
  if (text.startsWith("-")) return false;
  return !(/active/i.test(name) && /^\*\d+\r\n(:0|\*-1|\$-1)/.test(text));
}

function words(command: Buffer): string[] {
  const found: string[] = [];
  for (let at = command.indexOf("\r\n") + 2; at < command.length && found.length < 2; ) {
    const line = command.indexOf("\r\n", at);
    const length = Number(command.toString("latin1", at + 1, line));
    found.push(command.toString("utf8", line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
  return found;
}

/** Where the value that begins at `from` ends, or -1 while it is not whole. */
function endOf(buffer: Buffer, from: number): number {
  const line = buffer.indexOf("\r\n", from);
  if (line === -1) return -1;
  const type = String.fromCharCode(buffer[from] ?? 0);
  const size = Number(buffer.toString("latin1", from + 1, line));
  const next = line + 2;
  if (type === "$") {
    const end = size < 0 ? next : next + size + 2;
    return end <= buffer.length ? end : -1;
  }
  if (type !== "*" || size < 0) return next;
  let end = next;
  for (let i = 0; i < size && end !== -1; i++) end = end >= buffer.length ? -1 : endOf(buffer, end);
  return end;
}

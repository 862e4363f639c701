import type { Step } from "../gate.ts";
import type { AnswerChunk, Reader, RequestChunk } from "./relay.ts";

/**
 * PostgreSQL's protocol, version 3: everything up to a Sync or in a simple Query is one statement. Its answer ends with
 * ReadyForQuery, which also says whether a transaction is open. A statement inside a transaction is no step, since a
 * death there rolls it back; the commit is one, named after what it commits. With `every` each statement is a step, but
 * for the beginning of a transaction, which reads and locks nothing.
 */
export function readPostgres({ every = false }: { readonly every?: boolean } = {}): Reader {
  const frames = { said: createFrames(true), answered: createFrames(false) };
  const prepared = new Map<string, string>();
  let unit: Buffer[] = [];
  let texts: string[] = [];
  let answer: Buffer[] = [];
  let tags: string[] = [];
  /** Statements that are asked and not answered, oldest first. */
  const open: { readonly step: Step | null; readonly text: string }[] = [];
  let inTransaction = false;
  /** The first statement of the open transaction that changes something. */
  let writes: string | null = null;

  const endOfUnit = (): RequestChunk => {
    const text = normalise(texts.join("; "));
    const bytes = Buffer.concat(unit);
    unit = [];
    texts = [];
    const step = stepOf(text);
    open.push({ step, text });
    return { bytes, step };
  };
  const stepOf = (text: string): Step | null => {
    if (/^(begin|start transaction)/.test(text)) {
      writes = null;
      return null;
    }
    if (every) return { peer: "postgres", name: text };
    if (text === "commit") return writes === null ? null : { peer: "postgres", name: `commit of: ${writes}` };
    if (!isWrite(text)) return null;
    if (!inTransaction) return { peer: "postgres", name: text };
    writes ??= text;
    return null;
  };

  return {
    said: (chunk) => {
      const out: RequestChunk[] = [];
      for (const { type, body, bytes } of frames.said(chunk)) {
        unit.push(bytes);
        if (type === "Q") texts.push(text(body, 0).text);
        if (type === "P") {
          const { text: name, next } = text(body, 0);
          const statement = text(body, next).text;
          prepared.set(name, statement);
          texts.push(statement);
        }
        if (type === "B" && texts.length === 0) {
          const { next } = text(body, 0);
          texts.push(prepared.get(text(body, next).text) ?? "?");
        }
        if (type === "Q" || type === "S") out.push(endOfUnit());
        else if (type === "startup" || type === "p" || type === "X" || type === "H" || /[dcf]/.test(type)) {
          out.push({ bytes: Buffer.concat(unit), step: null });
          unit = [];
        }
      }
      return out;
    },
    answered: (chunk) => {
      const out: AnswerChunk[] = [];
      for (const { type, body, bytes } of frames.answered(chunk)) {
        answer.push(bytes);
        if (type === "C") tags.push(text(body, 0).text);
        const isEnd = type === "Z";
        if (!isEnd && open.length > 0 && type !== "G") continue;
        let ends: AnswerChunk["ends"] = null;
        if (isEnd) {
          inTransaction = String.fromCharCode(body[0] ?? 0) !== "I";
          const asked = open.shift();
          if (asked?.step != null) ends = { leaves: leavesFact(asked.step.name, tags) };
          tags = [];
        }
        out.push({ bytes: Buffer.concat(answer), ends });
        answer = [];
      }
      return out;
    },
  };
}

/** A statement that changed no row left nothing; nor did one about a table without facts, or a sign of life. */
function leavesFact(statement: string, tags: readonly string[]): boolean {
  if (statement.startsWith("commit of: ")) return !NO_FACT.test(statement);
  // The number counts the rows of the last part only. What the queue does in parts, it does by its timers.
  return !NO_FACT.test(statement) && (WRITING_PART.test(statement) || tags.some((tag) => !/ 0$/.test(tag)));
}

const WRITING_PART = /\bas (?:materialized )?\( ?(?:insert into|update|delete from) "?earshot\b/;

const NO_FACT =
  /(into|from|update|commit of: \w+( \w+)?) (earshot\.(channel_limits|server_quirks|tokens|budgets|budget_slots|pulses|failures)|meta|migration)\b|set leased_until_wall = now\(\) \+ make_interval\(secs => \$\d\) from held where|set value = earshot\.settings\.value/;

/** Whether a statement may change something: by its words, and functions of the queue by their names. */
function isWrite(statement: string): boolean {
  if (/^(with|insert|update|delete|truncate|merge)\b/.test(statement))
    return /\b(insert into|update [a-z_."]+|delete from|truncate|merge into)\b/.test(statement);
  if (/^(create|drop) table\b/.test(statement)) return true;
  const called = /^select (?:.* from )?([a-z_]+)\s?\(/.exec(statement)?.[1] ?? "";
  return QUEUE_WRITES.test(called);
}

/** What the queue does by its timers (locks, stalled jobs) comes whenever it comes and is no step. */
const QUEUE_WRITES = /^(add_|move_to_|update_job_scheduler|remove_|retry_|promote|drain|obliterate)/;

function normalise(statement: string): string {
  return statement
    .replaceAll(/--[^\n]*/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/;$/, "")
    .toLowerCase();
}

interface Frame {
  readonly type: string;
  readonly body: Buffer;
  readonly bytes: Buffer;
}

function createFrames(startsUntyped: boolean): (chunk: Buffer) => Frame[] {
  let pending: Buffer = Buffer.alloc(0);
  let isUntyped = startsUntyped;
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const frames: Frame[] = [];
    while (true) {
      const head = isUntyped ? 0 : 1;
      if (pending.length < head + 4) return frames;
      const length = head + pending.readUInt32BE(head);
      if (pending.length < length) return frames;
      const bytes = pending.subarray(0, length);
      const type = isUntyped ? "startup" : String.fromCharCode(bytes[0] ?? 0);
      frames.push({ type, body: bytes.subarray(head + 4), bytes });
      isUntyped = false;
      pending = pending.subarray(length);
    }
  };
}

function text(body: Buffer, from: number): { text: string; next: number } {
  const end = body.indexOf(0, from);
  return { text: body.toString("utf8", from, end === -1 ? undefined : end), next: end + 1 };
}

import type { Step } from "../gate.ts";
import type { AnswerChunk, Reader, RequestChunk } from "./relay.ts";

/** SMTP: every command is a step, and so is the mail's text with the dot that ends it. Only the dot leaves a mail. */
export function readSmtp(): Reader {
  let said = Buffer.alloc(0) as Buffer;
  let answered = Buffer.alloc(0) as Buffer;
  let inText = false;
  const open: string[] = [];
  return {
    said: (chunk) => {
      said = Buffer.concat([said, chunk]);
      const out: RequestChunk[] = [];
      while (true) {
        const mark = inText ? "\r\n.\r\n" : "\r\n";
        const at = said.indexOf(mark);
        if (at === -1) return out;
        const bytes = said.subarray(0, at + mark.length);
        said = said.subarray(bytes.length);
        const name = inText
          ? END_OF_TEXT
          : (/^[a-z]+/i.exec(bytes.toString("latin1"))?.[0] ?? "?").toUpperCase();
        inText = false;
        open.push(name);
        const step: Step | null = STEPS.has(name) ? { peer: "smtp", name } : null;
        out.push({ bytes, step });
      }
    },
    answered: (chunk) => {
      answered = Buffer.concat([answered, chunk]);
      const out: AnswerChunk[] = [];
      let whole = 0;
      for (let at = 0; ; ) {
        const end = answered.indexOf("\r\n", at);
        if (end === -1) break;
        const isLast = answered[at + 3] !== HYPHEN;
        const code = answered.toString("latin1", at, at + 3);
        at = end + 2;
        if (!isLast) continue;
        const bytes = answered.subarray(whole, at);
        whole = at;
        // The greeting answers nothing.
        const name = open.shift();
        inText = name === "DATA" && code === "354";
        out.push({
          bytes,
          ends:
            name !== undefined && STEPS.has(name) ? { leaves: name === END_OF_TEXT && code < "400" } : null,
        });
      }
      answered = answered.subarray(whole);
      return out;
    },
  };
}

const END_OF_TEXT = "the mail's text";
const STEPS = new Set(["MAIL", "RCPT", "DATA", END_OF_TEXT]);
const HYPHEN = 45;

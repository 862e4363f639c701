import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createLog } from "../../src/lib/log.ts";
import { attacks } from "../fixtures/attacks.ts";

test("whatever a vendor or a stranger says is one line of JSON, and nothing in it acts on a terminal", () => {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const log = createLog({ level: "info", destination });
  for (const { text, name } of attacks) {
    lines.length = 0;
    log.warn({ reason: text, of: { error: text } }, `it said: ${text}`);
    expect(lines, name).toHaveLength(1);
    const [line = ""] = lines;
    expect(line.endsWith("\n"), name).toBe(true);
    expect(line.slice(0, -1), name).not.toMatch(ACTING);
    expect(JSON.parse(line), name).toMatchObject({ of: { error: text } });
  }
});

/** Control characters, separators of lines, marks of direction. */
const ACTING = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/u;

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { compile } from "../../src/listening-api/query-language/compile.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Without a word for so long, a text is taken for one that never ends. Words come after a second of processor time. */
const PATIENCE_MS = 90_000;

interface Line {
  readonly begins?: string;
  readonly ends?: string;
  readonly slow?: readonly string[];
  readonly constructed?: readonly string[];
  readonly listed?: readonly string[];
}

const slow: string[] = [];
let lists: Line = {};
let measured = 0;
let child: ChildProcess;

beforeAll(async () => {
  const program = join(import.meta.dirname, "patterns/measure.ts");
  // A process that has compiled a megabyte of expressions no longer optimizes new ones, and what that hid is quadratic.
  child = spawn(process.execPath, ["--no-regexp-optimization", "--import", "tsx", program, ROOT], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: ROOT,
  });
  let current = "the scan";
  let stuck: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(stuck);
    stuck = setTimeout(() => {
      slow.push(`${current}: no end in ${PATIENCE_MS / 1_000} s`);
      child.kill("SIGKILL");
    }, PATIENCE_MS);
  };
  wait();
  if (child.stdout === null) throw new Error("the child has no output");
  for await (const text of createInterface(child.stdout)) {
    wait();
    const line = JSON.parse(text) as Line;
    if (line.constructed !== undefined) lists = line;
    if (line.begins !== undefined) current = line.begins;
    if (line.ends === undefined) continue;
    measured++;
    for (const fault of line.slow ?? []) slow.push(`${line.ends}: ${fault}`);
  }
  clearTimeout(stuck);
}, 600_000);
afterAll(() => {
  child?.kill("SIGKILL");
});

it("finds the expressions of the whole product", () => {
  expect(measured).toBeGreaterThan(300);
});

it("every expression that is made of text has a sample of its use", () => {
  expect(lists.constructed).toEqual(lists.listed);
});

it("no expression takes the square of a text's length, whatever runs the text has", () => {
  expect(slow).toEqual([]);
});

it.each(["*", "?", "*?", "a*", '"', "(", "a ", "é"])(
  "a query of the greatest length of %j is read soon",
  (part) => {
    const before = process.cpuUsage();
    compile(part.repeat(50_000 / part.length));
    const { user, system } = process.cpuUsage(before);
    // Some hundred milliseconds; with the square of the length, seven seconds.
    expect((user + system) / 1_000).toBeLessThan(3_000);
  },
);

it("longer queries are refused unread", () => {
  const outcome = compile("a ".repeat(25_001));
  expect(outcome).toMatchObject({ ok: false, problems: [{ rule: "too-long" }] });
});

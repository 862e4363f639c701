import { parseArgs } from "node:util";
import fc from "fast-check";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createWorkerPool } from "../../src/lib/worker-pool.ts";
import type { FuzzTasks } from "./fuzz-thread.ts";
import { growingShapes, randomInputs } from "./shapes.ts";
import { TARGETS } from "./targets.ts";

/**
 * Gives every reader of foreign bytes what strangers could send: shapes that grow, and random changes of valid input.
 * A finding is an error that is none of the reader's own, an input that never ends, or time that grows with the square
 * of a length outside of a thread. It is printed with the smallest input that shows it.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    target: { type: "string", default: Object.keys(TARGETS).join(",") },
    seed: { type: "string", default: "1" },
  },
});
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const names = values.target.split(",");
const unknown = names.filter((name) => TARGETS[name] === undefined);
if (unknown.length > 0)
  throw new Error(`there is no ${unknown.join(", ")}; there are ${Object.keys(TARGETS).join(", ")}`);
const eachMs = (Number(values.seconds) * 1_000) / names.length;

const pool = createWorkerPool<FuzzTasks>("test/fuzz/fuzz-thread", { threads: 1 });
let findings = 0;

type Outcome = { readonly problem: string | null; readonly ms: number };

async function run(target: string, bytes: Buffer): Promise<Outcome> {
  const done = await pool.run("run", { target, bytes }, { processorMs: 3_000, clockMs: 30_000 });
  if (done.outcome !== "Done") return { problem: done.outcome, ms: Number.POSITIVE_INFINITY };
  return { problem: done.result.error, ms: done.result.ms };
}

function report(target: string, what: string, bytes: Buffer): void {
  findings++;
  const shown = JSON.stringify(bytes.toString("latin1"));
  const cut = shown.length > 400 ? `${shown.slice(0, 400)}… (${bytes.length} bytes)` : shown;
  say(`${target}: ${what}\n  ${cut}`);
}

/** Halves that are not needed are taken out, then smaller pieces, for some seconds: one that is late takes seconds each time. */
async function smallest(target: string, bytes: Buffer): Promise<Buffer> {
  let current = bytes;
  let tries = 200;
  const until = monotonicMs() + SHRINKING_MS;
  for (let size = Math.ceil(current.length / 2); size >= 1 && tries > 0; size = Math.floor(size / 2))
    for (let at = 0; at < current.length && tries-- > 0 && monotonicMs() < until; ) {
      const less = Buffer.concat([current.subarray(0, at), current.subarray(at + size)]);
      if ((await run(target, less)).problem === null) at += size;
      else current = less;
    }
  return current;
}

const SHRINKING_MS = 15_000;
const FIRST = 4_000;
const SUSPICIOUS_MS = 4;
const CONFIRMATIONS = 3;

/**
 * Whether it fails again and again: a machine under load may be late once, and a thread that has read a thousand inputs
 * may have its memory full of others.
 */
async function confirmed(target: string, bytes: Buffer): Promise<string | null> {
  let last: string | null = null;
  for (let time = 0; time < CONFIRMATIONS; time++) {
    last = (await run(target, bytes)).problem;
    if (last === null) return null;
  }
  return last;
}

/**
 * Four times the input takes about four times as long; the square of it takes sixteen. A suspected growth is measured
 * three times, each with the least of several runs, and all three have to show it: the engine compiles and collects
 * garbage when it likes.
 */
async function growth(target: string, ofLength: (length: number) => Buffer): Promise<string | null> {
  const most = TARGETS[target]?.mostBytes ?? 0;
  const [small, large] = [Math.min(FIRST, most / 4), Math.min(4 * FIRST, most)];
  // Most shapes end here, after three runs: what is left of a round's time goes to other shapes.
  const little = await leastOf(target, ofLength(small), 2);
  if (little < SUSPICIOUS_MS / 4) return null;
  const much = await leastOf(target, ofLength(large), 1);
  if (much < 4 * SUSPICIOUS_MS || much < 8 * little) return null;
  let seen = "";
  for (let time = 0; time < CONFIRMATIONS; time++) {
    const first = await leastOf(target, ofLength(small), 6);
    const second = await leastOf(target, ofLength(large), 4);
    if (second < 4 * SUSPICIOUS_MS || second < 10 * first) return null;
    seen = `${small} bytes take ${first.toFixed(1)} ms, ${large} take ${second.toFixed(1)} ms`;
  }
  return seen;
}

/** Each run is a task of its own: what one leaves behind, and the limit of its time, concerns no other. */
async function leastOf(target: string, bytes: Buffer, times: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) least = Math.min(least, (await run(target, bytes)).ms);
  return least;
}

for (const name of names) {
  const target = TARGETS[name];
  if (target === undefined) continue;
  // Loading what it needs takes nothing of its time.
  await run(name, Buffer.from(target.samples[0] ?? ""));
  const until = monotonicMs() + eachMs;
  let cases = 0;
  // A part of the shapes for each seed, where there is no time for all.
  const shapes = fc.sample(
    fc.shuffledSubarray([...growingShapes(target)], { minLength: growingShapes(target).length }),
    {
      ...{ seed: Number(values.seed), numRuns: 1 },
    },
  )[0];
  for (const { name: shape, ofLength } of shapes ?? []) {
    if (monotonicMs() > until - eachMs / 3) break;
    cases++;
    const { problem } = await run(name, ofLength(2_000));
    if (problem !== null && (await confirmed(name, ofLength(2_000))) !== null)
      report(name, `${shape}: ${problem}`, await smallest(name, ofLength(2_000)));
    // In a thread the limit of its time ends it.
    const grows = target.inThread ? null : await growth(name, ofLength);
    if (grows !== null) report(name, `${shape}: ${grows}`, ofLength(100));
  }
  const inputs = fc.sample(randomInputs(target), { seed: Number(values.seed), numRuns: 2_000 });
  for (const bytes of inputs) {
    if (monotonicMs() > until) break;
    cases++;
    const cut = bytes.subarray(0, target.mostBytes);
    if ((await run(name, cut)).problem === null) continue;
    const problem = await confirmed(name, cut);
    if (problem === null) continue;
    report(name, problem, await smallest(name, cut));
    break;
  }
  say(`${name}: ${cases} inputs`);
}
await pool.close();
say(`${findings} findings, seed ${values.seed}`);
if (findings > 0) process.exitCode = 1;

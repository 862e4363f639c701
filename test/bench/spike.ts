import { monotonicMs } from "../../src/lib/clock.ts";
import type { JsonValue } from "../../src/lib/json.ts";
import { BUCKET_MS } from "../../src/monitor/model/judging.ts";
import { compileRule } from "../../src/monitor/rules/compile-rule.ts";
import { closeBucket, type LateCount, type SpikeSettings } from "../../src/monitor/rules/spike/detector.ts";
import { gatesOf } from "../../src/monitor/rules/spike/sensitivity.ts";
import {
  createSpikeState,
  PACKED_BYTES,
  packSpikeState,
  STATE_BYTES,
  unpackSpikeState,
} from "../../src/monitor/rules/spike/spike-state.ts";
import type { WindowCondition } from "../../src/monitor/rules/window-condition.ts";

// What one bucket of one query costs: in the detector alone, with its state in and out of its stored form, and behind
// the condition of a rule. Then 50,000 series in this one process, as they would live in a worker.

const BUCKETS = 100_000;
const ROUNDS = 50;
const SERIES = 50_000;
const settings: SpikeSettings = {
  gates: gatesOf("remarkable"),
  cooldownBuckets: 36,
  atLeast: 0,
};

let seed = 1;
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 4_294_967_296;
}

/** Day and night, and about `perBucket` mentions. */
function ordinary(bucket: number, perBucket: number): LateCount[] {
  const rate = perBucket * (1 + 0.7 * Math.sin((2 * Math.PI * bucket) / 288));
  const count = Math.floor(rate * (0.5 + random()) + random());
  return count === 0 ? [] : [{ age: 0, count }];
}

function late(bucket: number): LateCount[] {
  return [0, 2, 5].flatMap((age) => ordinary(bucket, 7).map(({ count }) => ({ age, count })));
}

/** The fastest of many rounds: others use the machine too, and what they take is not what a bucket costs. */
function measure(name: string, step: (bucket: number) => void): void {
  const size = BUCKETS / ROUNDS;
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = monotonicMs();
    for (let i = 0; i < size; i++) step(round * size + i);
    fastest = Math.min(fastest, monotonicMs() - startedAt);
  }
  console.log(
    `${name.padEnd(52)} ${((fastest * 1_000) / size).toFixed(2).padStart(6)} microseconds a bucket`,
  );
}

function condition(): WindowCondition {
  const rule = compileRule(
    "bench",
    { description: "bench", severity: "info", spike: { atLeast: 5 } },
    () => {},
  );
  if (rule?.kind !== "window") throw new Error("the rule of this bench has a fault");
  return rule.window;
}

const busy = createSpikeState(0);
measure("detector, 20 mentions a bucket", (bucket) => {
  closeBucket(busy, ordinary(bucket, 20), settings);
});
const slow = createSpikeState(0);
measure("detector, 20 mentions a bucket, most of them late", (bucket) => {
  closeBucket(slow, late(bucket), settings);
});
const worksheet = createSpikeState(0);
let stored = packSpikeState(createSpikeState(0));
measure("detector with its state in and out, 20 a bucket", (bucket) => {
  const state = unpackSpikeState(stored, worksheet);
  closeBucket(state, ordinary(bucket, 20), settings);
  stored = packSpikeState(state);
});
let storedLate = packSpikeState(createSpikeState(0));
measure("detector with its state in and out, most late", (bucket) => {
  const state = unpackSpikeState(storedLate, worksheet);
  closeBucket(state, late(bucket), settings);
  storedLate = packSpikeState(state);
});
const window = condition();
let json: JsonValue = window.initial();
measure("condition of a rule, state in and out, 20 a bucket", (bucket) => {
  const at = bucket * BUCKET_MS;
  const arrivals = [ordinary(bucket, 20).map(({ count }) => ({ bucket: at, count }))];
  json = window.step(json, { bucket: at, bucketMs: BUCKET_MS, arrivals }).state;
});
let silent: JsonValue = window.initial();
for (let bucket = 0; bucket < 100; bucket++) {
  silent = window.step(silent, { bucket: bucket * BUCKET_MS, bucketMs: BUCKET_MS, arrivals: [[]] }).state;
}
let asleep = 0;
measure("condition of a rule, silent series", () => {
  // A silent series is not stepped and not stored; all that it costs is this question.
  if (window.isAsleep(silent)) asleep += 1;
});
if (asleep !== BUCKETS) throw new Error("a silent series is awake");
console.log(`\nstate: ${STATE_BYTES} bytes in memory`);
console.log(`stored: ${bytes(stored)} bytes (${stored.length} as text) while mentions are punctual,`);
console.log(
  `        ${bytes(storedLate)} bytes (${storedLate.length} as text) when they come late; never more than ${PACKED_BYTES}`,
);
runManySeries();

function bytes(base64: string): number {
  return Buffer.from(base64, "base64").length;
}

/** A day of 5 minute buckets for every series, all alive at once. */
function runManySeries(): void {
  const before = process.memoryUsage();
  const states = Array.from({ length: SERIES }, () => createSpikeState(0));
  let worst = 0;
  let total = 0;
  const rounds = 288;
  for (let bucket = 0; bucket < rounds; bucket++) {
    const startedAt = monotonicMs();
    for (const [i, state] of states.entries()) closeBucket(state, ordinary(bucket, (i % 100) / 10), settings);
    const took = monotonicMs() - startedAt;
    worst = Math.max(worst, took);
    total += took;
  }
  const after = process.memoryUsage();
  const grown = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / 2 ** 20;
  console.log(`\n${SERIES.toLocaleString("en")} series, ${rounds} buckets of 5 min each, in one process:`);
  console.log(
    `  ${(total / rounds).toFixed(0)} ms for all series of one bucket, the slowest ${worst.toFixed(0)} ms`,
  );
  console.log(
    `  that is ${((total / rounds / BUCKET_MS) * 100).toFixed(2)} % of the 5 min that one core has for it`,
  );
  console.log(
    `  ${grown.toFixed(0)} MB for the states, ${(after.rss / 2 ** 20).toFixed(0)} MB resident in all`,
  );
}

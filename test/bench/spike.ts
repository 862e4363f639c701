import { monotonicMs } from "../../src/lib/clock.ts";
import type { JsonValue } from "../../src/lib/json.ts";
import { compileRule } from "../../src/rules/compile-rule.ts";
import type { WindowCondition } from "../../src/rules/window-condition.ts";
import { BUCKET_MS } from "../../src/spike/constants.ts";
import { closeBucket, type SpikeSettings } from "../../src/spike/detector.ts";
import { gatesOf } from "../../src/spike/sensitivity.ts";
import { createSpikeState, packSpikeState, STATE_BYTES } from "../../src/spike/spike-state.ts";

// What one bucket of one query costs, in the detector alone and behind the condition with its stored state.

const BUCKETS = 100_000;
const settings: SpikeSettings = {
  gates: gatesOf("remarkable"),
  form: "seasonal",
  cooldownBuckets: 36,
  atLeast: 0,
};

let seed = 1;
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 4_294_967_296;
}

function measure(name: string, step: (bucket: number) => void): void {
  const startedAt = monotonicMs();
  for (let bucket = 0; bucket < BUCKETS; bucket++) step(bucket);
  const perBucket = ((monotonicMs() - startedAt) * 1_000) / BUCKETS;
  console.log(`${name.padEnd(44)} ${perBucket.toFixed(2)} microseconds a bucket`);
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
measure("detector, 20 mentions a bucket", () => {
  closeBucket(busy, [{ age: 0, count: Math.floor(random() * 40) }], settings);
});
const late = createSpikeState(0);
measure("detector, 20 mentions a bucket, half of them late", () => {
  const arrivals = [0, 2, 5].map((age) => ({ age, count: Math.floor(random() * 14) }));
  closeBucket(late, arrivals, settings);
});
const window = condition();
let state: JsonValue = window.initial();
measure("condition with stored state, 20 a bucket", (bucket) => {
  const at = bucket * BUCKET_MS;
  const arrivals = [[{ bucket: at, count: Math.floor(random() * 40) }]];
  state = window.step(state, { bucket: at, bucketMs: BUCKET_MS, arrivals }).state;
});
let silent: JsonValue = window.initial();
measure("condition with stored state, silent series", (bucket) => {
  silent = window.step(silent, { bucket: bucket * BUCKET_MS, bucketMs: BUCKET_MS, arrivals: [[]] }).state;
});
console.log(
  `state: ${STATE_BYTES} bytes in memory, ${JSON.stringify(packSpikeState(busy)).length} bytes as JSON`,
);

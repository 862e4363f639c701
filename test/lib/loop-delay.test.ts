import { expect, test } from "vitest";
import { monotonicMs } from "../../src/lib/clock.ts";
import { loopDelay } from "../../src/lib/loop-delay.ts";
import { until } from "../until.ts";

/** Works without a break, as a parser of a huge document does. */
function block(ms: number): void {
  const end = monotonicMs() + ms;
  while (monotonicMs() < end);
}

test("the delay of the loop is measured, and one long pause counts as the longest, not as the mean", async () => {
  // Another test of this process may have begun to measure before.
  expect(loopDelay(60).meanMs).toBeLessThan(1_000);
  await until(
    "a pause was measured",
    () => {
      block(1_500);
      return loopDelay(60).maxMs >= 1_000;
    },
    { withinMs: 20_000, everyMs: 1_000 },
  );
  expect(loopDelay(60).meanMs).toBeLessThan(1_000);
});

test("a loop that is late in every round is late on average", async () => {
  const blocking = setInterval(() => block(200), 1);
  try {
    await until("it is late", () => loopDelay(3).meanMs >= 150, { withinMs: 30_000, everyMs: 100 });
  } finally {
    clearInterval(blocking);
  }
});

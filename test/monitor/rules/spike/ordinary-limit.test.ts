import { expect, it } from "vitest";
import { ordinaryLimit } from "../../../../src/monitor/rules/spike/gates.ts";
import { lnChanceOfCount } from "../../../../src/monitor/rules/spike/negative-binomial.ts";
import { createSpikeState } from "../../../../src/monitor/rules/spike/spike-state.ts";
import { dispersionOf, rateNoise } from "../../../../src/monitor/rules/spike/variation.ts";
import { feed, MONDAY, ordinaryDays } from "./feed.ts";

it("the largest ordinary count is the last one that is not significant", () => {
  const state = createSpikeState(MONDAY);
  feed(ordinaryDays(6, 3), { state });
  const { cluster, uncertainty } = dispersionOf(state);
  for (const expected of [0.002, 0.4, 3, 77.7, 2_000]) {
    for (const lnChance of [Math.log(1e-3), Math.log(1e-5)]) {
      const limit = ordinaryLimit(state, expected, 1, lnChance);
      const lnP = (count: number): number =>
        count <= expected ? 0 : lnChanceOfCount(count, expected, cluster, rateNoise(state, 0) + uncertainty);
      expect(lnP(limit)).toBeGreaterThan(lnChance);
      expect(lnP(limit + 1)).toBeLessThanOrEqual(lnChance);
    }
  }
});

import { describe, expect, it } from "vitest";
import { explainQuiet, explainSpike } from "../../src/spike/explain-spike.ts";
import { spellChance } from "../../src/spike/spell-chance.ts";
import { createSpikeState } from "../../src/spike/spike-state.ts";
import { feed, MONDAY, ordinaryDays } from "./feed.ts";

const moment = {
  bucket: 5000,
  window: 1,
  observed: 1698,
  expected: 84.7,
  lnP: Math.log(1.5e-33),
  score: 13.6,
  completeness: 1,
};

function known(days: number) {
  const state = createSpikeState(MONDAY);
  feed(ordinaryDays(days, 1), { state });
  return state;
}

describe("explainSpike", () => {
  it("tells count, expectation, chance and how unusual", () => {
    expect(explainSpike(known(20), moment, "negative mentions")).toBe(
      "1,698 negative mentions in 5 min, 85 expected. Chance in ordinary noise: less than 1 in a billion. " +
        "13.6 times this query's usual swing.",
    );
  });

  it("says how little it knows of a young query, and how much has not arrived", () => {
    const half = { ...moment, window: 6, lnP: Math.log(1 / 4_321), completeness: 0.61, score: 6 };
    expect(explainSpike(known(4), half, "mentions")).toBe(
      "1,698 mentions in 30 min, 85 expected. Chance in ordinary noise: about 1 in 4,300. " +
        "6 times this query's usual swing. About 61 % of the last 30 min has arrived. " +
        "Judged on 4 days of history, no weekend seen yet.",
    );
    expect(explainSpike(known(1), moment, "mentions")).toContain(
      "Judged on 24 h of history, no weekend seen yet.",
    );
    expect(explainSpike(known(8), moment, "mentions")).toMatch(/Judged on 8 days of history\.$/);
  });

  it("is short about an ordinary bucket", () => {
    expect(explainQuiet({ ...moment, observed: 3, expected: 2.94, window: 12 }, "mentions")).toBe(
      "3 mentions in 1 h, 2.9 expected",
    );
  });
});

describe("spellChance", () => {
  it.each([
    [0.5, "about 1 in 2"],
    [1e-3, "about 1 in 1,000"],
    [1 / 56_789, "about 1 in 56,000"],
    [1.01e-9, "about 1 in 990,000,000"],
    [0.99e-9, "less than 1 in a billion"],
  ])("says %d as %s", (p, words) => {
    expect(spellChance(Math.log(p))).toBe(words);
  });
});

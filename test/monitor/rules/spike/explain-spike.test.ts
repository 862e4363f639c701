import { describe, expect, it } from "vitest";
import {
  explainQuiet,
  explainSpike,
  formatRarity,
} from "../../../../src/monitor/rules/spike/explain-spike.ts";
import { createSpikeState } from "../../../../src/monitor/rules/spike/spike-state.ts";
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
  it("names count, expectation and chance", () => {
    expect(explainSpike(known(20), moment, "negative mentions")).toBe(
      "1,698 negative mentions in 5 min, 85 expected at this hour. Chance alone hardly ever brings so many.",
    );
  });

  it("says how little it knows of a young query, and how much has not arrived", () => {
    const half = { ...moment, window: 6, lnP: Math.log(1 / 4_321), completeness: 0.61, score: 6 };
    expect(explainSpike(known(4), half, "mentions")).toBe(
      "1,698 mentions in 30 min, 85 expected at this hour. " +
        "About 61% of the last 30 min has arrived. " +
        "Judged on 4 days of history, no weekend seen yet.",
    );
    expect(explainSpike(known(1), moment, "mentions")).toContain(
      "Judged on 24 h of history, no weekend seen yet.",
    );
    expect(explainSpike(known(8), moment, "mentions")).toMatch(/Judged on 8 days of history\.$/);
  });

  it("calls what has passed the peak, and judges it by what was known then", () => {
    const past = { ...moment, bucket: 100 };
    expect(explainSpike(known(20), past, "mentions", { now: 105 })).toContain(
      "1,698 mentions in 5 min, 85 expected at this hour. ",
    );
    expect(explainSpike(known(20), past, "mentions", { now: 106 })).toMatch(
      /^1,698 mentions in 5 min at the peak, 85 expected at this hour\. Judged on 8 h of history\.$/,
    );
  });

  it("claims nothing of chance that is not rare, or that it knows too little of", () => {
    const text = (days: number, once: number) =>
      explainSpike(known(days), { ...moment, lnP: Math.log(1 / once) }, "mentions");
    expect(text(20, 4_321)).toMatch(/ at this hour\. Chance alone seldom brings so many\.$/);
    expect(text(20, 6)).not.toContain("hance");
    expect(text(20, 100)).not.toContain("hance");
    expect(text(8, 4_321)).not.toContain("hance");
    expect(explainSpike(known(20), moment, "mentions", { now: 5006 })).toMatch(
      / at the peak, 85 expected at this hour\. Chance alone hardly ever brings so many\.$/,
    );
  });

  it("does not say of what is over that it has still to arrive", () => {
    const past = { ...moment, window: 6, completeness: 0.61 };
    expect(explainSpike(known(20), past, "mentions", { now: 5006 })).toContain(
      "Then about 61% of those 30 min had arrived.",
    );
  });

  it("never expects nothing, and promises no more digits of a large number than it can hold", () => {
    const of = (changes: Partial<typeof moment>) =>
      explainSpike(known(20), { ...moment, ...changes }, "mentions");
    expect(of({ observed: 4, expected: 0.0496 })).toMatch(
      /^4 mentions in 5 min, 0\.05 expected at this hour\./,
    );
    expect(of({ observed: 102_778_192, expected: 13_733_888 })).toMatch(
      /^102,778,192 .*, 13,700,000 expected at this hour\./,
    );
  });

  it("is short about an ordinary bucket", () => {
    expect(explainQuiet({ ...moment, observed: 3, expected: 2.94, window: 12 }, "mentions")).toBe(
      "3 mentions in 1 h, 2.9 expected",
    );
  });
});

describe("spellRarity", () => {
  it.each([
    [0.1, "about once a day"],
    [0.01, "about once in 16 days"],
    [1e-3, "about once in 5 months"],
    [1e-4, "about once in 4 years"],
    [1e-9, "less than once in 100 years"],
    [0, "less than once in 100 years"],
  ])("says %d as %s", (p, words) => {
    expect(formatRarity(Math.log(p))).toBe(words);
  });
});

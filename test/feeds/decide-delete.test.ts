import { expect, test } from "vitest";
import { decideDelete, type Witness } from "../../src/feeds/run/decide-delete.ts";
import { DAY, HOUR } from "../../src/lib/instant.ts";

const gone: Witness = { seen: "Gone", isSiteThere: true, isListed: false, goneForMs: 2 * DAY };

test.each<[string, Partial<Witness>, string]>([
  ["it is there", { seen: "There" }, "Present"],
  ["it is there again", { seen: "There", goneForMs: 5 * DAY }, "Present"],
  ["an outage", { seen: "Nothing" }, "NothingLearnt"],
  ["an outage of all of the site", { seen: "Nothing", isSiteThere: false }, "NothingLearnt"],
  ["everything of its site is gone", { isSiteThere: false }, "SiteAway"],
  ["everything of its site is gone for a month", { isSiteThere: false, goneForMs: 30 * DAY }, "SiteAway"],
  ["its feed lists it still", { isListed: true }, "StillListed"],
  ["gone for the first time", { goneForMs: null }, "FirstWitness"],
  ["gone twice in an hour", { goneForMs: HOUR }, "TooSoon"],
  ["gone twice, a minute too early", { goneForMs: DAY - 60_000 }, "TooSoon"],
  ["gone twice, a day apart", { goneForMs: DAY }, "Deleted"],
  ["gone twice, a week apart", { goneForMs: 7 * DAY }, "Deleted"],
])("%s", (_name, witness, outcome) => {
  expect(decideDelete({ ...gone, ...witness }).outcome).toBe(outcome);
});

test("the second witness is asked for when the day is over", () => {
  expect(decideDelete({ ...gone, goneForMs: 20 * HOUR })).toEqual({
    outcome: "TooSoon",
    againInMs: 4 * HOUR,
  });
});

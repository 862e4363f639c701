import { expect, test } from "vitest";
import { decideDelete, type Witness } from "../../src/feeds/run/decide-delete.ts";
import { judgeChecks } from "../../src/feeds/run/judge-checks.ts";
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

interface Seen {
  readonly isGone?: boolean;
  readonly isSiteThere?: boolean;
  readonly isListed?: boolean;
  readonly goneForMs?: number;
}

test.each<[string, Seen, string, number]>([
  ["it is there again: the first witness is forgotten", { isGone: false, goneForMs: DAY }, "No", HOUR],
  ["its feed lists it: the first witness is forgotten", { isListed: true, goneForMs: DAY }, "No", 6 * HOUR],
  ["everything of its site is gone: no witness", { isSiteThere: false }, "AsBefore", HOUR],
  ["it is gone for the first time", {}, "Since now", DAY],
  ["it is gone still", { goneForMs: 20 * HOUR }, "AsBefore", 4 * HOUR],
])("%s", (_name, { isGone = true, isSiteThere = true, ...seen }, gone, inMs) => {
  const item = { idKey: "key", id: "1", reference: null, ageMs: 2 * HOUR, goneForMs: null, isListed: false };
  const found = isGone ? [{ id: "1", reason: "its page is gone", isSiteThere }] : [];
  const judged = judgeChecks([{ ...item, ...seen }], { deletes: [], gone: found }, true);
  expect(judged).toMatchObject({ deletes: [], checks: [{ idKey: "key", inMs, gone }] });
  expect(judged.away).toBe(isSiteThere ? 0 : 1);
});

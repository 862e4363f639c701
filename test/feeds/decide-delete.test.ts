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

test("the second witness is asked for in a minute at the earliest", () => {
  expect(decideDelete({ ...gone, goneForMs: DAY - 1_000 })).toEqual({
    outcome: "TooSoon",
    againInMs: 60_000,
  });
});

const due = { idKey: "key", id: "1", reference: null, ageMs: 2 * HOUR, goneForMs: null, isListed: false };
const witness = { id: "1", reason: "its page is gone", isSiteThere: true };

test("an item that is gone for a day is deleted, and returns if its feed shows it again", () => {
  const judged = judgeChecks([{ ...due, goneForMs: DAY }], { deletes: [], gone: [witness] }, true);
  expect(judged).toEqual({
    deletes: [{ id: "1", idKey: "key", reason: "its page is gone", mayReturn: true }],
    ...{ checks: [], away: 0 },
  });
});

test.each([
  ["a feed that lists its items", true, []],
  ["one that does not", false, [{ id: "1", idKey: "key", reason: "its page is gone", mayReturn: true }]],
])("that an item was seen yesterday counts for %s", (_name, isListing, deletes) => {
  const item = { ...due, goneForMs: DAY, isListed: true };
  expect(judgeChecks([item], { deletes: [], gone: [witness] }, isListing).deletes).toEqual(deletes);
});

test.each([
  ["no answer", { unanswered: [due] }, {}, HOUR],
  ["no answer, for an old item", { unanswered: [due] }, { ageMs: 20 * DAY, goneForMs: HOUR }, HOUR],
  [
    "no answer, for one that is too old, and was seen to be gone",
    { unanswered: [due] },
    { ageMs: 31 * DAY, goneForMs: DAY },
    HOUR,
  ],
  [
    "no answer for a week, for one that is too old",
    { unanswered: [due] },
    { ageMs: 31 * DAY, goneForMs: 7 * DAY },
    null,
  ],
  ["no answer, for one that is too old", { unanswered: [due] }, { ageMs: 30 * DAY }, null],
  [
    "all of its site is away, for an old item",
    { gone: [{ ...witness, isSiteThere: false }] },
    { ageMs: 20 * DAY },
    HOUR,
  ],
])("%s: what was seen before counts on", (_name, found, more, inMs) => {
  const judged = judgeChecks([{ ...due, ...more }], { deletes: [], ...found }, true);
  expect(judged).toMatchObject({ deletes: [], checks: [{ idKey: "key", inMs, gone: "AsBefore" }] });
});

test.each([
  ["young", 2 * HOUR, 6 * HOUR],
  ["old", 20 * DAY, 10 * DAY],
  ["too old to be asked for, were it not for its page", 40 * DAY, 6 * HOUR],
])("a gone item that its feed lists, and that is %s, is asked for again", (_name, ageMs, inMs) => {
  const judged = judgeChecks([{ ...due, ageMs, isListed: true }], { deletes: [], gone: [witness] }, true);
  expect(judged.checks).toEqual([{ idKey: "key", inMs, gone: "No" }]);
});

test("what the source itself says that it has deleted is deleted under the key with which it is stored", () => {
  const deletes = ["1", "2"].map((id) => ({ id, reason: "its author removed it" }));
  const judged = judgeChecks([due], { deletes, unanswered: [due] }, false);
  expect(judged.deletes).toEqual([
    { id: "1", idKey: "key", reason: "its author removed it" },
    { id: "2", reason: "its author removed it" },
  ]);
});

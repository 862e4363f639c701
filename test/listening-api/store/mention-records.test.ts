import { expect, test } from "vitest";
import { HOUR, type Instant } from "../../../src/lib/instant.ts";
import { createRecordViews } from "../../../src/listening-api/records/record-view.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { createMentionRecords } from "../../../src/listening-api/store/mention-records.ts";
import { topicTexts } from "../../../src/listening-api/store/topic-texts.ts";
import { mentionVersion, resourceId, T0 } from "../fixture.ts";
import { useTwoQueries } from "./two-queries.ts";

const [BEFORE, AFTER] = [T0 - HOUR, T0 + HOUR];
const { db, own, other } = useTwoQueries();

type Times = Partial<Parameters<typeof mentionVersion>[1]>;
const version = (number: number, title: string, times: Times = {}, queryId = own()) =>
  mentionVersion({ queryId, resourceId: resourceId(number), title }, { added: BEFORE, ...times });
const replaced = () => [
  version(1, "first", { supersededAt: T0 }),
  version(1, "second", { version: 2, visibleAt: T0, supersededAt: T0 + 1 }),
  version(1, "third", { version: 3, visibleAt: T0 + 1 }),
  version(1, "another query's", {}, other()),
  version(2, "another mention"),
];

async function titles(rows: readonly { n: number; version: number; date?: Instant }[], asked: object = {}) {
  const view = createRecordViews().of({ version: "current", text: "full", policy: "full" });
  const found: unknown[] = [];
  const wanted = rows.map(({ n, version: shown, date = BEFORE }) => ({
    position: { key: 0, resourceId: resourceId(n), queryId: own() },
    ...{ mentionId: 0, shapeId: 0, version: shown, date },
  }));
  for await (const some of createMentionRecords(db()).read(wanted, view, { at: T0, ...asked }))
    for (const record of some) found.push(JSON.parse(record).title);
  return found;
}

test("each row of a page is the version that it names, in their order", async () => {
  await insertMentions(db(), replaced());
  expect(
    await titles([
      { n: 2, version: 1 },
      { n: 1, version: 2 },
      { n: 1, version: 1 },
    ]),
  ).toEqual(["another mention", "second", "first"]);
});

test("a version that is gone is shown as it is now, if it still fits what was asked for", async () => {
  await insertMentions(db(), replaced());
  const gone = [{ n: 1, version: 9 }];
  expect(await titles(gone, { at: T0 - 1 })).toEqual(["first"]);
  expect(await titles(gone)).toEqual(["second"]);
  expect(await titles(gone, { at: T0 + 1 })).toEqual(["third"]);
  const range = { queryIds: [own()], from: BEFORE, to: AFTER, conditions: [] };
  expect(await titles(gone, { range })).toEqual(["second"]);
  expect(await titles(gone, { range: { ...range, from: BEFORE + 1 } })).toEqual([]);
  // Another mention moved to a date that is named no more.
  expect(await titles([{ n: 2, version: 1, date: BEFORE - 1 }])).toEqual(["another mention"]);
});

test("a word cloud reads what the range has and shows, all of it or a part that is the same each time", async () => {
  const many = Array.from({ length: 400 }, (_, n) => version(100 + n, `of many ${n}`));
  await insertMentions(db(), [...replaced(), ...many, version(3, "of the next day", { date: AFTER })]);
  const range = { queryIds: [own()], from: BEFORE, to: AFTER, conditions: [] };
  const read = async (share: number) =>
    (await topicTexts(db(), { range, at: T0, share, longest: 100 })).map(({ text }) => text).toSorted();
  const all = [
    "second",
    "another mention",
    ...Array.from({ length: 400 }, (_, n) => `of many ${n}`),
  ].toSorted();
  expect(await read(1)).toEqual(all);
  const half = await read(0.5);
  expect(half.length).toBeGreaterThan(150);
  expect(half.length).toBeLessThan(250);
  expect(new Set(half).size).toBe(half.length);
  expect(all).toEqual(expect.arrayContaining(half));
  expect(await read(0.5)).toEqual(half);
  // Nearly all: only what the range has, each as it is shown.
  const nearlyAll = await read(0.999_99);
  expect(nearlyAll).toEqual(all);
});

import { describe, expect, test } from "vitest";
import type { ItemKeys } from "../../../src/listening-api/arrive/decide-item.ts";
import { decideItems, sortDecided } from "../../../src/listening-api/arrive/decide-items.ts";
import type { ArrivedItem } from "../../../src/listening-api/arrive/item-versions.ts";
import { returnedId } from "../../../src/listening-api/arrive/sealed-items.ts";
import { compileQueries } from "../../../src/listening-api/assign/assign-queries.ts";
import { resultOf } from "../../../src/listening-api/query-language/evaluate.ts";
import type { ReceivedItem } from "../../../src/listening-api/store/received-items.ts";
import { resourceId, T0 } from "../fixture.ts";

const HIDDEN = 9;
const FROM = { kind: "rss", feedKey: "k", host: "blog.example", policyVersion: 1 };
const KEY = resourceId(1);
const KNOWN: ReceivedItem = {
  ...{ idKey: KEY, contentKey: "old", linkKey: null, resourceId: resourceId(7) },
  ...{ editedAgoMs: null, isDeleted: false },
};
const queries = compileQueries(
  ["milk", "sour", null].map((text, index) => ({
    ...{ id: index + 1, name: `${text}`, text, languages: [], contentSources: null },
    ...{ includedLocations: [], excludedLocations: [] },
  })),
);

const arrived = (text: string, more: Partial<ArrivedItem> = {}): ArrivedItem => ({
  ...{ idKey: KEY, contentKey: "new", editedEveryMs: 1_000, nativeId: "native", storedCharacters: null },
  line: { id: KEY, text, date: T0 },
  ...more,
});

type Context = Parameters<typeof decideItems>[1];
const decided = (items: readonly ArrivedItem[], more: Partial<Context> = {}) =>
  resultOf(
    decideItems(items, {
      ...{ at: T0 + 1, known: () => [], isForgotten: null, queries, receivedQueryId: HIDDEN, keeps: "all" },
      ...more,
    }),
  );
const sorted = (item: ArrivedItem, more: Partial<Context> = {}) => sortDecided(decided([item], more), FROM);
const as = (more: Partial<ReceivedItem>) => ({ known: (_: ItemKeys) => [{ ...KNOWN, ...more }] });
const NOTHING = { notes: [], added: [], edited: [], forgotten: [], restored: [] };

describe("an item that arrives", () => {
  test("new, is a mention of the hidden query and of those that it matches", () => {
    const { added, notes, ...others } = sorted(arrived("sour milk"));
    expect(added.flatMap(({ found }) => found.map(({ record }) => record.queryId))).toEqual([HIDDEN, 1, 2]);
    expect(added[0]?.found[1]?.record).toMatchObject({ queryName: "milk", matchPositions: [{ start: 5 }] });
    expect(notes).toMatchObject([{ ...FROM, idKey: KEY, resourceId: KEY, deleteReason: null }]);
    expect(others).toEqual({ edited: [], forgotten: [], restored: [] });
    expect(sorted(arrived("tea")).added[0]?.found.map(({ record }) => record.queryId)).toEqual([HIDDEN]);
  });

  test("from a stream of a whole network, is kept if a query matches it, or it is known", () => {
    expect(sorted(arrived("tea"), { keeps: "matched" })).toEqual(NOTHING);
    expect(sorted(arrived("milk"), { keeps: "matched" }).added).toHaveLength(1);
    expect(sorted(arrived("tea"), { keeps: "matched", ...as({}) }).edited).toHaveLength(1);
  });

  test("changed, is a version of the mention that it was", () => {
    const { edited, notes, ...others } = sorted(arrived("milk"), as({}));
    expect(edited[0]?.item.line.id).toBe(KNOWN.resourceId);
    expect(edited[0]?.found.map(({ record }) => record.resourceId)).toEqual(Array(2).fill(KNOWN.resourceId));
    expect(notes).toMatchObject([{ resourceId: KNOWN.resourceId, deleteReason: null }]);
    expect(others).toEqual({ added: [], forgotten: [], restored: [] });
  });

  test("back after it was seen to be gone, has another id", () => {
    const { restored, notes, ...others } = sorted(arrived("milk"), as({ isDeleted: true, mayReturn: true }));
    const id = returnedId(KNOWN.resourceId, T0 + 1);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(restored).toMatchObject([
      { was: KNOWN.resourceId, found: Array(2).fill({ record: { resourceId: id } }) },
    ]);
    expect(notes).toMatchObject([{ resourceId: id, deleteReason: null }]);
    expect(others).toEqual({ added: [], edited: [], forgotten: [] });
  });

  test("renamed or deleted before, is only noted; unchanged or changed too soon, not even that", () => {
    const noted = (more: Partial<ReceivedItem>) => sorted(arrived("milk"), as(more));
    const renamed = noted({ idKey: resourceId(2), contentKey: "new" });
    expect(renamed).toMatchObject({ ...NOTHING, notes: [{ idKey: KEY, resourceId: KNOWN.resourceId }] });
    expect(renamed.notes[0]?.deleteReason).toBeNull();
    const reason = "its content was deleted before";
    expect(noted({ isDeleted: true })).toMatchObject({ ...NOTHING, notes: [{ deleteReason: reason }] });
    expect(noted({ contentKey: "new" })).toEqual(NOTHING);
    expect(noted({ editedAgoMs: 999 })).toEqual(NOTHING);
  });

  test("of somebody who asked to be forgotten until then, is forgotten under the id that it had", () => {
    const isForgotten: Context["isForgotten"] = ({ author }, date) => author === "ann" && date <= T0;
    const by = (author: string, date: number) =>
      sorted(arrived("milk", { line: { id: KEY, text: "milk", date, author } }), {
        ...{ isForgotten, known: () => (date < T0 ? [KNOWN] : []) },
      });
    const note = { idKey: KEY, deleteReason: "a person asked to forget it" };
    expect(by("ann", T0)).toMatchObject({
      ...NOTHING,
      forgotten: [KEY],
      notes: [{ ...note, resourceId: KEY }],
    });
    expect(by("ann", T0 - 1).forgotten).toEqual([KNOWN.resourceId]);
    expect(by("ann", T0 + 1).added).toHaveLength(1);
    expect(by("bob", T0).added).toHaveLength(1);
  });
});

test("of a long text each query has the part around its first match", () => {
  const text = `${"a ".repeat(400)}milk ${"b ".repeat(400)}sour ${"c ".repeat(400)}milk`;
  const found = sorted(arrived(text, { storedCharacters: 500 })).added[0]?.found ?? [];
  const parts = found.map(({ fullText, record }) => [
    ...[record.queryId, fullText?.slice(0, 6), fullText?.includes("milk"), fullText?.includes("sour")],
    record.matchPositions.length,
  ]);
  expect(parts).toEqual([
    [HIDDEN, "a a a ", false, false, 0],
    [1, "…a a a", true, false, 1],
    [2, "…b b b", false, true, 1],
  ]);
});

test("as many are taken as fit into one transaction, and one at least", () => {
  const taken = (...lengths: number[]) =>
    decided(lengths.map((length) => arrived("x".repeat(length)))).length;
  // 2,000 are for the record.
  expect(taken(3_998_000, 1)).toBe(1);
  expect(taken(3_997_999, 1, 1)).toBe(2);
  expect(taken(5_000_000)).toBe(1);
});

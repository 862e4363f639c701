import { describe, expect, test } from "vitest";
import { decideItem, type ItemKeys } from "../../../src/listening-api/arrive/decide-item.ts";
import type { ReceivedItem } from "../../../src/listening-api/store/received-items.ts";

const stored = (more: Partial<ReceivedItem> = {}): ReceivedItem => ({
  ...{ idKey: "id", contentKey: "old", linkKey: "link", resourceId: "first", editedAgoMs: null },
  ...{ isDeleted: false, ...more },
});
const decide = (item: Partial<ItemKeys>, ...known: ReceivedItem[]) =>
  decideItem({ idKey: "id", contentKey: "new", linkKey: "link", editedEveryMs: 1_000, ...item }, known);

describe("an item under an id that is not known", () => {
  const other = stored({ idKey: "other" });

  test("is an edit of the one of the same page and date, and new without such a link", () => {
    expect(decide({}, other)).toEqual({ outcome: "Edited", resourceId: "first" });
    expect(decide({ linkKey: "another" }, other)).toEqual({ outcome: "New" });
    expect(decide({ linkKey: null }, stored({ idKey: "other", linkKey: null }))).toEqual({ outcome: "New" });
  });

  test("is the one of the same content, renamed", () => {
    expect(decide({ contentKey: "old" }, other)).toEqual({ outcome: "Renamed", resourceId: "first" });
    expect(decide({ contentKey: null }, stored({ idKey: "other", contentKey: null, linkKey: null }))).toEqual(
      {
        outcome: "New",
      },
    );
  });

  test("stays deleted where that page was deleted, also beside one of the same content that was not", () => {
    const deleted = stored({ idKey: "gone", resourceId: "second", isDeleted: true });
    expect(decide({ contentKey: "old" }, stored({ idKey: "other", linkKey: null }), deleted)).toEqual({
      outcome: "Deleted",
      resourceId: "second",
    });
  });
});

describe("a known item whose content is another", () => {
  test("waits until its last change is as long ago as its feed asks", () => {
    expect(decide({}, stored({ editedAgoMs: 999 }))).toEqual({ outcome: "Waits" });
    expect(decide({}, stored({ editedAgoMs: 1_000 }))).toEqual({ outcome: "Edited", resourceId: "first" });
  });

  test("with a revision changes at once, unless it comes late", () => {
    const at = (revision: number, before: number | null) =>
      decide({ revision }, stored({ revision: before, editedAgoMs: 0 })).outcome;
    expect([at(6, 7), at(7, 7), at(8, 7), at(1, null)]).toEqual(["Same", "Edited", "Edited", "Edited"]);
  });

  test("is the same where too little of it is known", () => {
    expect(decide({ contentKey: null }, stored())).toEqual({ outcome: "Same" });
  });

  test("stays deleted under the id by which it is known, whatever else was deleted", () => {
    const others = ["second", "third"].map((resourceId) =>
      stored({ idKey: resourceId, resourceId, isDeleted: true, contentKey: "new" }),
    );
    const known = [stored({ isDeleted: true, linkKey: null }), ...others];
    expect(decide({}, ...known)).toEqual({ outcome: "Deleted", resourceId: "first" });
  });

  test("is seen for itself, and for no other one of its page", () => {
    const beside = stored({ idKey: "beside", resourceId: "second", isDeleted: true, mayReturn: true });
    expect(decide({}, stored({ linkKey: null }), beside)).toEqual({
      outcome: "Restored",
      resourceId: "second",
    });
    expect(decide({}, stored())).toEqual({ outcome: "Edited", resourceId: "first" });
  });
});

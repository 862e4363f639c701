import { describe, expect, it } from "vitest";
import { applyChanges, type MentionChanges } from "../../../src/listening-api/edit/mention-changes.ts";

const NONE: MentionChanges = {
  addCategories: [],
  removeCategories: [],
  addTags: [],
  removeTags: [],
  fields: {},
};
const NOW = "2026-03-03T12:00:00.000+0000";
const detail = (id: number, parentId: string) => ({
  id: `${id}`,
  name: `${id}`,
  parentId,
  parentName: "Level",
});
const [low, high, other] = [detail(11, "1"), detail(12, "1"), detail(21, "2")];
const HAS = { categories: [11, 21, 99], categoryDetails: [low, other], tags: ["hot"], assignment: "ann" };
const changed = (changes: Partial<MentionChanges>) =>
  applyChanges({ fields: HAS, tagIds: [3] }, { ...NONE, ...changes }, NOW);

describe("of a category that has one subcategory of a mention", () => {
  const exclusiveParents = new Set(["1"]);
  const fieldsAfter = (changes: Partial<MentionChanges>) => changed({ exclusiveParents, ...changes }).fields;

  it("another one takes the place, and the same one stays", () => {
    expect(fieldsAfter({ addCategories: [high] })).toMatchObject({
      categories: [21, 99, 12],
      categoryDetails: [other, high],
    });
    expect(fieldsAfter({ addCategories: [low] })).toMatchObject({
      categories: [11, 21, 99],
      categoryDetails: [low, other],
    });
    expect(fieldsAfter({ addCategories: [detail(22, "2")] }).categories).toEqual([11, 21, 99, 22]);
  });
});

it("tags are added and taken off, each once, by name and by id", () => {
  const tag = (id: number, name: string) => ({ id, name });
  const { fields, tagIds } = changed({
    addTags: [tag(4, "new"), tag(3, "hot")],
    removeTags: [tag(5, "old")],
  });
  expect({ tags: fields.tags, tagIds }).toEqual({ tags: ["hot", "new"], tagIds: [3, 4] });
  const without = changed({ removeTags: [tag(3, "hot")] });
  expect({ tags: without.fields.tags, tagIds: without.tagIds }).toEqual({ tags: [], tagIds: [] });
});

it("an assignment has the time in which it became another one", () => {
  const date = (assignment: string | null) => changed({ assignment }).fields.lastAssignmentDate;
  expect([date("bob"), date("ann"), date(null)]).toEqual([NOW, undefined, null]);
});

import { expect, test } from "vitest";
import {
  categoryJudgement,
  categoryJudgementsOf,
  withCategoryJudgements,
} from "../../../src/listening-api/records/category-judgement.ts";

const OTHER = { classifierId: "emotions", labelId: "joy" };
const SAID = withCategoryJudgements({ classifications: [OTHER, null, "x"] }, [
  { id: 7, isIn: true, by: "people" },
  { id: 8, isIn: false, by: "learned", reason: "a name", confidence: 0.7 },
]);

test("what was said of a category stands beside the other classifications, with who said it", () => {
  expect(SAID.classifications).toEqual([
    OTHER,
    {
      ...{ classifierId: "category:people:7", labelId: "in", confidence: null },
      name: "in this category, said by a person",
    },
    {
      ...{ classifierId: "category:learned:8", labelId: "out", confidence: 0.7 },
      name: "not in this category, said by people: a name",
    },
  ]);
  expect([6, 7, 8].map((id) => categoryJudgement(SAID, id))).toEqual([
    null,
    { id: 7, isIn: true, by: "people" },
    { id: 8, isIn: false, by: "learned" },
  ]);
  expect(categoryJudgementsOf(SAID)).toEqual(SAID.classifications.slice(1));
});

test("what is said later takes the place of what was said of the same category, whoever said it", () => {
  const again = withCategoryJudgements(SAID, [{ id: 8, isIn: true, by: "people" }]);
  expect(again.classifications).toHaveLength(3);
  expect(categoryJudgement(again, 8)).toEqual({ id: 8, isIn: true, by: "people" });
  expect(categoryJudgement(again, 7)).toEqual({ id: 7, isIn: true, by: "people" });
  expect(withCategoryJudgements(SAID, [], [7, 8]).classifications).toEqual([OTHER]);
});

test("nothing is read where nothing, or something else, stands", () => {
  for (const classifications of [undefined, "none", [null, 7, {}, { classifierId: "category:people:x" }]]) {
    expect(categoryJudgement({ classifications }, 7)).toBeNull();
    expect(categoryJudgementsOf({ classifications })).toEqual([]);
  }
});

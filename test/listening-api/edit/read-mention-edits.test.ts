import { describe, expect, it } from "vitest";
import { changeScope } from "../../../src/listening-api/edit/change-set.ts";
import { readMentionEdits } from "../../../src/listening-api/edit/read-mention-edits.ts";
import { ApiError, type ErrorsBody } from "../../../src/listening-api/parameters/api-error.ts";

const children = [11, 12].map((id) => ({ id, name: `${id}`, ordering: 0, rules: [] }));
const labels = {
  categories: [{ id: 1, name: "Level", multiple: false, children }],
  tags: [{ id: 3, name: "hot" }],
};
const scope = { queryIds: new Set([1, 5]), ...changeScope(labels, ["ann"]) };
const read = (given: unknown) => readMentionEdits(given, scope, "refuse");

function faultsOf(given: unknown): readonly string[] {
  try {
    read(given);
  } catch (error) {
    if (error instanceof ApiError) return (error.body as ErrorsBody).errors.map(({ message }) => message);
    throw error;
  }
  return [];
}

describe("edits of mentions", () => {
  const which = { queryId: 5, resourceId: "a" };

  it("say of one mention what is wrong with it, and of a list where", () => {
    const wrong = { ...which, location: "Atlantis", assignment: "bob", addCategories: [11, 12] };
    const faults = [
      'location: "Atlantis" is no known location; GET /locations lists them.',
      'assignment: "bob" is no user of this client.',
      "addCategories: 11 and 12 exclude each other.",
    ];
    expect(faultsOf(wrong)).toEqual(faults);
    expect(faultsOf([which, wrong])).toEqual(faults.map((fault) => `[1].${fault}`));
  });

  it.each([5, "5"])("take the id of a query as %j", (queryId) => {
    expect(read({ ...which, queryId })).toMatchObject([{ queryId: 5, resourceId: "a" }]);
  });

  it.each([true, [5], "0x5", " 5 ", "5.0", null, 6])("take no id of a query as %j", (queryId) => {
    expect(faultsOf({ ...which, queryId })).toEqual([
      expect.stringMatching(/^queryId: .+ is no query of this project\.$/),
    ]);
  });

  it("are a thousand at most, with a hundred faults", () => {
    expect(read(Array(1_000).fill(which))).toHaveLength(1_000);
    expect(faultsOf(Array(1_001).fill(which))).toEqual([
      "body: expected at most 1000 mentions in one call, got 1001.",
    ]);
    expect(faultsOf(Array(101).fill({ queryId: 5 }))).toHaveLength(100);
  });
});

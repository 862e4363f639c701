import { expect, test } from "vitest";
import { authorKeyOf } from "../../../src/monitor/model/author-list.ts";
import { type Mention, speakerOf } from "../../../src/monitor/model/mention.ts";
import { readTags } from "../../../src/monitor/model/mention-workflow.ts";

const nobody = { authorName: null, author: null, site: null, domain: null };

test.each([
  [{ authorName: "Ann", author: "@ann", site: "The Daily", domain: "daily.example" }, "Ann"],
  [{ authorName: " ", author: "@ann" }, "@ann"],
  [{ authorName: "", author: "\t", site: "The Daily", domain: "daily.example" }, "The Daily"],
  [{ domain: "daily.example" }, "daily.example"],
  [{}, null],
])("who speaks: %j", (names, speaker) => {
  expect(speakerOf({ ...nobody, ...names } as Mention)).toBe(speaker);
});

test.each([
  [{ author: "@ann", authorName: "Ann" }, "ann"],
  [{ author: "@", authorName: "Ann" }, "Ann"],
  [{ author: null, authorName: "Ann" }, "Ann"],
  [{ author: null, authorName: null }, null],
])("how an author is counted: %j", (names, key) => {
  expect(authorKeyOf(names)).toBe(key);
});

test("tags are separated by commas, without the blanks around them", () => {
  expect(readTags(" vip , press  office,, ,\u202eold")).toEqual(["vip", "press office", "old"]);
});

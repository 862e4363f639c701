import { expect, test } from "vitest";
import {
  attemptName,
  countedBy,
  deletedWords,
  FIRST_REPORT,
  vendorAnswer,
} from "../../../src/monitor/model/wording.ts";

test.each([
  [{ answer: "250 ok", status: "200" }, "250 ok"],
  [{ status: "204" }, "HTTP 204"],
  [{ channel: "C1", ts: "17.5" }, "message 17.5 in C1"],
  [{ channel: "C1" }, ""],
  [{ ts: "17.5" }, ""],
  [{}, ""],
])("where a message is found at its vendor: %j", (ref, words) => {
  expect(vendorAnswer(ref)).toBe(words);
});

test("an attempt has its number, and a report about a mail none", () => {
  expect([1, FIRST_REPORT - 1, FIRST_REPORT].map(attemptName)).toEqual(["attempt 1", "attempt 999", "later"]);
});

test("one deleted mention has one author, several have several", () => {
  expect([0, 1, 2].map(deletedWords)).toEqual([
    "0 mentions that their authors deleted",
    "a mention that its author deleted",
    "2 mentions that their authors deleted",
  ]);
});

test("an alert counts what its rule counts, and mentions where the rule says nothing", () => {
  expect(countedBy({ mentions: 34, progress: {} as never })).toBe("34 mentions");
  expect(countedBy({ mentions: 34, progress: { first: { subject: "negative mentions" } } as never })).toBe(
    "34 negative mentions",
  );
});

import { expect, test } from "vitest";
import { checkSummary } from "../../../../src/monitor/notify/view/summaries.ts";

const SOURCES = ["Recall of 1,200 kettles after 3 fires", "My kettle, model 8000, melted at 21:40"];
const check = (answer: string) => checkSummary(answer, SOURCES);
const refused = (because: string) => ({ outcome: "Refused", because });

test.each([
  "Kettles are recalled after fires.",
  "1,200 kettles are recalled after 3 fires.",
  "A kettle, model 8000, melted at 21:40.",
])("a sentence with the numbers of its sources is accepted: %s", (answer) => {
  expect(check(answer)).toEqual({ outcome: "Accepted", text: answer });
});

test.each(["12 fires were reported.", "800 kettles", "1200 kettles", "Ⅷ fires", "٣ fires", "3.1 fires"])(
  "a number of its own is refused, a part of a number, too: %s",
  (answer) => {
    expect(check(answer)).toEqual(refused("NumberOfItsOwn"));
  },
);

test.each(["See https://evil.example", "Write to a@evil.example", "See evil.example now", "www.evil"])(
  "an address is refused: %s",
  (answer) => {
    expect(check(answer)).toEqual(refused("Address"));
  },
);

test("no answer, and a long one, are refused; lines become one", () => {
  expect(check(" \n ")).toEqual(refused("Empty"));
  expect(check("a ".repeat(121))).toEqual(refused("TooLong"));
  expect(check("Kettles burn.\nPeople\u202e worry.")).toMatchObject({ outcome: "Accepted" });
  expect(check("Kettles burn.\nPeople worry.")).toEqual({
    outcome: "Accepted",
    text: "Kettles burn. People worry.",
  });
});

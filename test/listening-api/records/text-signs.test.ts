import { expect, it } from "vitest";
import { textSigns } from "../../../src/listening-api/records/text-signs.ts";

it.each([
  ["paid 80 euros for number 83 on Windows XP", []],
  ["8d 8$ XO x3 =3 =0 8P xp 8)", []],
  ["see http://a.example/:/ and a:/b", []],
  [
    "well :-) and :( or ;) <3 =) xD :3 ^_^ 8-) D: (:",
    [":-)", ":(", ";)", "<3", "=)", "xD", ":3", "^_^", "8-)", "D:", "(:"],
  ],
])("the emoticons of %j", (text, expected) => {
  expect(textSigns(text, []).emoticons).toEqual(expected);
});

import { expect, it } from "vitest";
import { insightsOf, textSigns } from "../../../src/listening-api/records/text-signs.ts";

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

it.each([
  ["#भारत और #हिन्दी_दिवस", ["#भारत", "#हिन्दी_दिवस"]],
  ["#cafe\u0301 #ไทยแลนด์ #می\u200cخواهم", ["#cafe\u0301", "#ไทยแลนด์", "#می\u200cخواهم"]],
  ["#one, #two! a#three &#39; #a_1", ["#one", "#two", "#a_1"]],
  ["#a\u200c #b\u200d ", ["#a", "#b"]],
  [`#${"x".repeat(120)}`, [`#${"x".repeat(100)}`]],
])("the hashtags of %j are whole", (text, expected) => {
  expect(insightsOf(text).insightsHashtag).toEqual(expected);
});

const ENGLAND = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
it.each([
  [`${ENGLAND} beats 🇫🇷, 🏴 ahead`, [ENGLAND, "🇫🇷", "🏴"]],
  ["Acme™ Corp® © 2026, but ©️", ["©️"]],
  ["👩🏽‍🚀 ❤️ ❤ 1️⃣ 👍🏽", ["👩🏽‍🚀", "❤️", "❤", "1️⃣", "👍🏽"]],
])("the emoji of %j", (text, expected) => {
  expect(textSigns(text, []).emoji).toEqual(expected);
});

it.each([
  ["(see https://a.example/1).", ["https://a.example/1"]],
  ["https://a.example/Air_(brand) and https://a.example/Air_(brand).", ["https://a.example/Air_(brand)"]],
  ["(https://a.example/Air_(brand))", ["https://a.example/Air_(brand)"]],
  ["読む：https://a.example/1。", ["https://a.example/1"]],
  ["「https://a.example/2」", ["https://a.example/2"]],
  [
    '"http://a.example/?a=1&b=(2)", <https://b.example>',
    ["http://a.example/?a=1&b=(2)", "https://b.example"],
  ],
])("the links of %j lead where the text does", (text, expected) => {
  expect(textSigns(text, []).links).toEqual(expected);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { agreement, BINS, packSketch, WORDS } from "../../../src/monitor/model/sketch.ts";
import { type StoryMentionText, storyKey, storyOf } from "../../../src/monitor/model/story.ts";

const mentionOf = (text: string | null, given: Partial<StoryMentionText> = {}): StoryMentionText => ({
  resourceId: text ?? "id",
  title: null,
  text,
  pageType: "twitter",
  repostOf: null,
  ...given,
});
const key = (text: string | null, given: Partial<StoryMentionText> = {}) => storyKey(mentionOf(text, given));

const TEXT = "Hold times of four hours at the airport and nobody picks up the phone";

test.each([
  ["a repost", `RT @someone: ${TEXT}`],
  ["a repost of a repost", `RT @other: RT @someone: ${TEXT}`],
  ["a repost with a comment", `So true!! RT @someone ${TEXT}`],
  ["a repost in small letters", `rt @someone: ${TEXT}`],
  ["a modified repost", `MT @someone ${TEXT}`],
  ["a quote", `“@someone: ${TEXT}” seriously?`],
  ["a quote in straight quotes that is never closed", `Wow "@someone: ${TEXT}`],
  ["a link at the end", `${TEXT} https://t.co/abc123`],
  ["another link", `${TEXT} http://t.co/zzz pic.twitter.com/q1`],
  ["hashtags at the end", `${TEXT} #fail #neverAgain…`],
  ["hashtags of Hindi and Thai", `${TEXT} #भारत #สวัสดี`],
  ["capitals", TEXT.toUpperCase()],
  ["punctuation and emoji", `😡😡 ${TEXT.replaceAll(" ", ", ")}!!! 😡`],
  ["spaces and line breaks", `\n${TEXT.replaceAll(" ", " \t\n")}  `],
  ["wide letters", TEXT.replaceAll(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0))],
  ["invisible characters", TEXT.split("").join("\u200b")],
  ["a signed copy", `${TEXT} - The Daily Paper`],
  ["another signed copy", `${TEXT} | Example.com http://example.com/1`],
  ["a source named with via", `${TEXT} via @someone`],
])("%s belongs to the same story", (_name, text) => {
  expect(key(text)).toBe(key(TEXT));
});

test("a repost whose end is cut off belongs to the same story", () => {
  const long = `${TEXT}, and then they cancelled the flight without any word to the passengers`;
  expect(key(`RT @someone: ${long.slice(0, 110)}…`)).toBe(key(long));
});

test.each([
  ["another text", "Hold times of five hours at the airport and nobody picks up the phone"],
  ["a comment on another text", `${TEXT.slice(0, 20)} RT @someone: the crew was lovely today and on time`],
])("%s is another story", (_name, text) => {
  expect(key(text)).not.toBe(key(TEXT));
});

test("a short headline and a short text together are a story: six sites with one item of an agency", () => {
  const item = (resourceId: string, given: Partial<StoryMentionText> = {}) =>
    key("The CEO of Acme must answer", {
      resourceId,
      pageType: "news",
      title: "Jane Miller under fire",
      ...given,
    });
  expect(item("1")).toBe(item("2"));
  expect(item("1")).not.toBe(item("2", { title: "Jane Miller is praised" }));
  // Where the title is only the beginning of the text, it adds nothing.
  const short = { title: "@brand thank you", pageType: "twitter" };
  expect(key("@brand thank you", { resourceId: "1", ...short })).not.toBe(
    key("@brand thank you", { resourceId: "2", ...short }),
  );
});

test.each([
  [null],
  [""],
  ["@united thanks"],
  ["😡😡😡😡😡😡😡😡"],
  ["https://t.co/abcdefghijklmnopqrstuvwxyz0123456"],
])("mentions that say %j are stories of their own", (text) => {
  expect(key(text, { resourceId: "1" })).not.toBe(key(text, { resourceId: "2" }));
  expect(key(text, { resourceId: "1" })).toBe(key(text, { resourceId: "1" }));
});

test("mentions without text that repeat the same thing are one story", () => {
  expect(key(null, { resourceId: "1", repostOf: "99" })).toBe(key(null, { resourceId: "2", repostOf: "99" }));
  expect(key(null, { resourceId: "99" })).not.toBe(key(null, { resourceId: "1", repostOf: "99" }));
});

test("short words of another, marked as such, are one story", () => {
  const fleek = "Our fleet's on fleek.";
  expect(key(`nope. RT @JetBlue: ${fleek} http://t.co/1`)).toBe(
    key(`😩 “@JetBlue: ${fleek} http://t.co/2” lol`),
  );
});

test("copies of an article share the headline, whatever snippet was found in them", () => {
  const title = "Storm grounds half of the winter flights in the north";
  const news = (text: string) => key(text, { title, pageType: "news" });
  expect(news("… the airline said on Monday that …")).toBe(
    news("Passengers waited for hours in the terminal"),
  );
});

test("replies in a thread do not share a story because they share its title", () => {
  const title = "Storm grounds half of the winter flights in the north";
  const reply = (text: string) => key(text, { title, pageType: "forum" });
  expect(reply("They rebooked me within ten minutes, chapeau")).not.toBe(
    reply("I have been waiting since noon here"),
  );
});

test("an ideograph says more than a letter", () => {
  const text = "航空公司取消了所有航班";
  expect(key(text, { resourceId: "1" })).toBe(key(`RT @someone: ${text}`, { resourceId: "2" }));
});

test("keys stay the same from version to version, because they are stored", () => {
  expect([key(TEXT), key(null)]).toMatchInlineSnapshot(`
    [
      "Tmtlh2g8KvPbt8By",
      "4mqNm1wvmxn--zEe",
    ]
  `);
});

test("any text has a key of 16 safe characters, and its repost the same if it is long enough", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
      expect(key(text)).toMatch(/^[\w-]{16}$/);
      const words = text.replaceAll(/[@"“”#/.|·–—-]/g, " ").replaceAll(/[rmRM][tT]|via/gi, "");
      if (words.replaceAll(/[^\p{L}]/gu, "").normalize("NFKC").length < 40) return;
      expect(key(`RT @someone: ${words}`)).toBe(key(words));
    }),
  );
});

test("different texts have different keys", () => {
  const keys = new Set<string>();
  for (let i = 0; i < 100_000; i++) keys.add(key(null, { resourceId: String(i) }));
  expect(keys.size).toBe(100_000);
});

test.each([
  ["signs of reposts", 'RT RT :"'.repeat(100)],
  ["spaces", `RT${" ".repeat(700)}x@`],
  ["hashtags", `${"#a ".repeat(300)}!`],
  ["quotes", '"@a '.repeat(200)],
  ["words", "There were many of them and no end to it ".repeat(20)],
])("a text of nothing but %s is read to its 600th character and no further", (_name, text) => {
  const start = text.slice(0, 600);
  expect(key(`${start} and a whole book behind it`, { resourceId: start })).toBe(key(start));
});

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789".repeat(8);
/** Two people write the same: whether that is one story. */
const isShared = (text: string, given: Partial<StoryMentionText> = {}) =>
  key(text, { ...given, resourceId: "1" }) === key(text, { ...given, resourceId: "2" });

test.each([
  ["24 letters", LETTERS.slice(0, 24), {}, true],
  ["23 letters", LETTERS.slice(0, 23), {}, false],
  ["a repost of 12 letters", `RT @ann: ${LETTERS.slice(0, 12)}`, {}, true],
  ["a repost of 11 letters", `RT @ann: ${LETTERS.slice(0, 11)}`, {}, false],
  ["a title and a text of 24 letters together", "text12345678", { title: "title1234567" }, true],
  ["a title and a text of 23 letters together", "text1234567", { title: "title1234567" }, false],
  ["a title that is the beginning of the text", "title and more text", { title: "title and" }, false],
  ["a title that is the end of the text", "more text and title", { title: "and title" }, true],
  ["eight ideographs", "東京駅前広場火事", {}, true],
  ["seven ideographs", "東京駅前広場火", {}, false],
])("%s: whether two people can share it as a story", (_, text, given, shared) => {
  expect(isShared(text, given)).toBe(shared);
});

test.each([
  "\u2010",
  "\u2013",
  "\u2026",
  "\u2027",
  "\u2028",
  "\u200f",
  "😡",
  "🟿",
  "🐀",
  "🤖",
  "🇩🇪",
  "\ud83d",
  "\udc00",
  "\udfff",
])("a sign is no part of a story: %j", (sign) => {
  for (const text of [
    `${sign}${TEXT}`,
    TEXT.replaceAll(" ", sign),
    `${TEXT.slice(0, 9)}${sign}${TEXT.slice(9)}`,
  ])
    expect(key(text)).toBe(key(TEXT));
});

test("a letter behind half an emoji is a letter", () => {
  expect(key(`${TEXT.slice(0, 9)}\ud83d${TEXT.slice(9)}`)).toBe(key(TEXT));
  expect(key(`${TEXT.slice(0, 9)}\ud83dx${TEXT.slice(9)}`)).toBe(key(`${TEXT.slice(0, 9)}x${TEXT.slice(9)}`));
});

test("a sign of numbers in the middle of a text is no tag at its end", () => {
  const text = (country: string) => `Acme takes back product #1 in ${country} and says sorry`;
  expect(key(text("Germany"))).not.toBe(key(text("Norway")));
});

test("a source is taken off only where 40 letters are left", () => {
  expect(key(`${LETTERS.slice(0, 40)} - The Daily`)).toBe(key(LETTERS.slice(0, 40)));
  expect(key(`${LETTERS.slice(0, 39)} - The Daily`)).not.toBe(key(LETTERS.slice(0, 39)));
});

test("news with a headline of 24 letters are that headline, whatever part of the text is shown", () => {
  const news = (length: number, text: string) =>
    key(text, { resourceId: "n", pageType: "news", title: LETTERS.slice(0, length) });
  const [one, other] = [`first ${TEXT}`, `second ${TEXT}`];
  expect(news(24, one)).toBe(news(24, other));
  expect(news(23, one)).not.toBe(news(23, other));
});

test("a text of 40 letters has a sketch, and only its first 160 count", () => {
  const sketch = (text: string, title: string | null = null) => storyOf(mentionOf(text, { title })).sketch;
  expect(sketch(LETTERS.slice(0, 39))).toBeNull();
  expect(sketch(LETTERS.slice(0, 40))).toHaveLength(BINS);
  const long = "the quick brown fox jumps over a lazy dog ".repeat(9);
  expect(sketch(`${long}a`)).toEqual(sketch(`${long}b`));
  expect(sketch("short a", long)).toEqual(sketch("short b", long));
});

test("texts with one other word have sketches that agree in most bins, other texts in few", () => {
  const sketches = [
    TEXT,
    TEXT.replace("nobody", "no one"),
    "The crew was lovely today and the plane came in on time",
  ];
  const packed = new Int32Array(WORDS * sketches.length);
  for (const [place, text] of sketches.entries())
    packSketch(storyOf(mentionOf(text)).sketch as Uint8Array, packed, place);
  expect(agreement(packed, 0, packed, 0)).toBe(BINS);
  expect(agreement(packed, 0, packed, 1)).toBeGreaterThan(BINS / 2);
  expect(agreement(packed, 0, packed, 2)).toBeLessThan(BINS / 4);
});

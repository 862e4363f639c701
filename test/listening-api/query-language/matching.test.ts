import { describe, expect, it } from "vitest";
import { compile } from "../../../src/listening-api/query-language/compile.ts";
import type { KnownFields } from "../../../src/listening-api/query-language/fields/define-field.ts";
import { searchableMention } from "../../../src/listening-api/query-language/search-text.ts";

function query(text: string) {
  const compiled = compile(text);
  if (!compiled.ok) throw new Error(compiled.problems.map((problem) => problem.message).join(" "));
  return compiled.query;
}

function finds(boolean: string, text: string, known: KnownFields = {}): boolean {
  return query(boolean).matches(searchableMention(known, text));
}

describe("terms", () => {
  it.each([
    ["word", "A WORD, please", true],
    ["word", "words", false],
    ['"two words"', "Two\n words", true],
    ['"two words"', "words two", false],
    ['"two words"', "two other words", false],
    ["{BT}", "BT said", true],
    ["{BT}", "bt said", false],
    ["{iPhone}", "an iPhone", true],
    ["{iPhone}", "an IPhone", false],
    ["{Brand Watch}", "the Brand Watch", true],
    ["{Brand Watch}", "the brand Watch", false],
    ["{BT*}", "BTs", true],
    ["{BT*}", "bts", false],
    ["complain*", "Complaints", true],
    ["complain*", "I complain", true],
    ["complain*", "compla", false],
    ["t*est", "the tallest one", true],
    // Sigma has another form at the end of a word.
    ["ΜΕΣ*", "Μέση Ανατολή", true],
    ["λογος*", "ΛΟΓΟΣΑ", true],
    ["λογοσ*", "ο λόγος", true],
    ["{ΜΕΣ*}", "ΜΕΣΗ", true],
    ["{ΜΕΣ*}", "μεση", false],
    ["λογοσ*", "λόγου", false],
    // Between these words no blanks stand, so that what follows is no part of them.
    ["東京*", "東京タワー", true],
    ["東京*", "京都", false],
    ["(ไทย*) AND アクメ*", "アクメ ไทยแลนด์", true],
    ['"東京* タワー"', "東京タワー", true],
    ["customi?e", "customize", true],
    ["customi?e", "customie", false],
    ["customi?e", "customizze", false],
    ["niño", "El niño", true],
    ["niño", "El nino", false],
    ["nino", "El Niño", true],
    ["NIÑO", "el nin\u0303o", true],
    ["İş", "iş bankası", true],
    ["iş", "İŞ BANKASI", true],
    ["iş*", "İŞÇİ", true],
    ["iş", "is", false],
    ["regierung", "Bundes\u00adregierung", false],
    ["Bundesregierung", "die Bundes\u00adregie\u00adrung", true],
    ['"die Bundesregierung"', "die Bundes\u00adregierung", true],
    ["Bundes\u00adregierung", "Bundesregierung", true],
    ["می\u200cخواهم", "می\u200cخواهم", true],
    ["wendy", "Wendy's", true],
    ['"wendy s"', "wendy’s", true],
    ["wendy's", "wendy s", true],
    ["#tag", "a #Tag!", true],
    ["#tag", "a tag", false],
    ["tag", "a #tag", true],
    ["#tag", "C#tag", false],
    ["@name", "mail@name.org", false],
    ["@name", "hey @Name", true],
    ["50%", "half: 50%", true],
    ["50%", "50 of them", false],
    ["$50", "US$50", true],
    ["$50", "€50", false],
    ["24/7", "open 24/7", true],
    ["24/7", "24 or 7", false],
    ["%", "100 %", true],
    ["€", "100 $", false],
    ["C++", "C++ and C", true],
    ["C++", "C and D", false],
    ["R&B", "R&B", true],
    ["low-cost", "a low cost", true],
    ["foo:bar", "see foo:bar", true],
    ["foo:bar", "foo bar", false],
    ["https://example.org/a", "at https://example.org/a?b=1", true],
    ["🎉", "party🎉🎉", true],
    ["🎉", "party", false],
    ["❤️", "I ❤ it", true],
    ["東京", "私は東京都に", true],
    ["東京", "京東", false],
    ["マイクロソフト", "日本マイクロソフト株式会社", true],
    ["दुष्प्रचार", "यह दुष्प्रचार है", true],
    ["ＦＵＬＬ", "full", true],
  ])("%s in %s: %s", (boolean, text, expected) => {
    expect(finds(boolean, text)).toBe(expected);
  });
});

describe("operators", () => {
  it.each([
    ["a AND b", "b a", true],
    ["a AND b", "a", false],
    ["a OR b", "b", true],
    ["a NOT b", "a c", true],
    ["a NOT b", "a b", false],
    ["NOT a AND b", "b", true],
    ["a NOT (b AND c) OR d", "a b", true],
    ["a NOT (b AND c) OR d", "a b c", false],
    ["a NOT (b AND c) OR d", "a b c d", true],
    ["a b", "b a", true],
    ['"a b"~2', "b x y a", true],
    ['"a b"~2', "b x y z a", false],
    ['"bora bora"~3', "bora bora", true],
    ['"bora bora"~3', "bora", false],
    ["(a AND b AND c)~2", "a x b c", true],
    ["(a AND b AND c)~2", "a x b y c", false],
    ["((a OR b) AND (c OR d))~1", "b x d", true],
    ["((a OR b) AND (c OR d))~1", "b x x d", false],
    ["((a OR b) AND (c OR d))~1", "a b", false],
    ["(a OR b)~3", "b", true],
    ["a NEAR/0 b", "b a", true],
    ["a NEAR/1 b", "b x a", true],
    ["a NEAR/1 b", "b x y a", false],
    ["a NEAR/1f b", "a x b", true],
    ["a NEAR/1f b", "b x a", false],
    ["a NEAR/0f b", "a b", true],
    ["a NEAR/0f b", "a x b", false],
    ["a NEAR/3 a", "a", false],
    ["a NEAR/3 a", "a x a", true],
    ["(a OR b) NEAR/1 (c NEAR/1 d)", "c d x b", true],
    ["a NEAR/1 b", "a isn't b", true],
    ['"a b" NEAR/1 c', "a b x c", true],
    ['"a b" NEAR/1 c', "a x b c", false],
  ])("%s in %s: %s", (boolean, text, expected) => {
    expect(finds(boolean, text)).toBe(expected);
  });

  it("finds a site by its name in letters of any language", () => {
    const known = { domain: "news.xn--mller-kva.example", url: "https://news.xn--mller-kva.example/Über" };
    for (const site of [
      "müller.example",
      "MÜLLER.example",
      "www.müller.example/über",
      "xn--mller-kva.example",
    ])
      expect([site, finds(`site:${site}`, "", known)]).toEqual([site, true]);
    expect(finds("site:muller.example", "", known)).toBe(false);
  });

  it("does not reach from the title into the text", () => {
    expect(finds("a AND b", "b", { title: "a" })).toBe(true);
    expect(finds("a NEAR/150 b", "b", { title: "a" })).toBe(false);
    expect(finds('"a b"', "b", { title: "a" })).toBe(false);
  });
});

describe("fields", () => {
  const known: KnownFields = {
    title: "A new phone",
    url: "https://www.reddit.com/r/Phones/comments/12",
    domain: "reddit.com",
    author: "john.doe",
    fullname: "John Doe",
    gender: "female",
    twitterVerified: true,
    authorVerifiedType: "blue",
    twitterFollowers: 700,
    continent: "Europe",
    continentCode: "EUROPE",
    country: "Germany",
    countryCode: "DEU",
    region: "Berlin",
    city: "Berlin",
    language: "de",
    latitude: 52.5,
    longitude: 13.4,
    date: "2026-03-03T18:30:00.000+0000",
    threadEntryType: "share",
    rating: "4",
    entityInfo: [{ entityId: 42, entityConfidence: "HIGH" }],
    imageInfo: [{ objects: [{ id: 3902 }] }],
    insightsHashtag: ["#photo"],
  };
  it.each([
    ["title:phone", true],
    ["title:text", false],
    ["title:(old OR new)", true],
    ['title:"new phone"', true],
    ["site:reddit.com", true],
    ["site:reddit.com/r/phones", true],
    ["site:reddit.com/r/pho", false],
    ["site:it.com", false],
    ["site:(a.com OR reddit.com)", true],
    ['url:"reddit.com/r/pho"', true],
    ["topLevelDomain:com", true],
    ["topLevelDomain:org", false],
    ['author:"john doe"', true],
    ["author:john.doe", true],
    ["author:jo", false],
    ["authorGender:F", true],
    ["authorGender:M", false],
    ["authorVerified:true", true],
    ["authorVerified:false", false],
    ["authorVerifiedType:blue", true],
    ["authorFollowers:[500 TO 700]", true],
    ["authorFollowers:[0 TO 699]", false],
    ["continent:europe", true],
    ["country:deu", true],
    ["region:deu.berlin", true],
    ['city:"deu.berlin.berlin"', true],
    ["city:usa.ny.berlin", false],
    ["language:de", true],
    ["latitude:[52 TO 53] AND longitude:[13 TO 14]", true],
    ["minuteOfDay:[1110 TO 1110]", true],
    ["minuteOfDay:[0 TO 1109]", false],
    ["engagementType:RETWEET", true],
    ["engagementType:REPLY", false],
    ["rating:4", true],
    ["rating:[1 TO 3]", false],
    ["entityId:42", true],
    ["objects:3902", true],
    ["subreddit:phones", true],
    ["tags:photo", true],
    ["guid:12", true],
    ["blogName:x", false],
    ["text NOT blogName:x", true],
  ])("%s: %s", (boolean, expected) => {
    expect(finds(boolean, "the text", known)).toBe(expected);
  });
});

describe("positions", () => {
  it("are the words of the text for which it matched, in UTF-16 units", () => {
    const text = "🎉 The Battery of my phone: battery, BATTERY!";
    const positions = query("(battery NEAR/2 phone) AND NOT charger AND title:x").positions(
      searchableMention({ title: "x phone" }, text),
    );
    expect(positions).toEqual(
      [
        { start: 7, text: "Battery", length: 7 },
        { start: 21, text: "phone", length: 5 },
        { start: 28, text: "battery", length: 7 },
        { start: 37, text: "BATTERY", length: 7 },
      ].slice(0, 4),
    );
    for (const position of positions) {
      expect(text.slice(position.start, position.start + position.length)).toBe(position.text);
    }
  });

  it("carry the signs of hashtags, and overlapping matches appear once", () => {
    const positions = query('#tag OR tag OR "a #tag"').positions(searchableMention({}, "a #tag, tag"));
    expect(positions).toEqual([
      { start: 0, text: "a #tag", length: 6 },
      { start: 8, text: "tag", length: 3 },
    ]);
  });

  it("are none for a mention that does not match, and two hundred at most", () => {
    expect(query("a AND b").positions(searchableMention({}, "a"))).toEqual([]);
    expect(query("a").positions(searchableMention({}, "a ".repeat(1_000)))).toHaveLength(200);
  });
});

describe("large and deep texts", () => {
  // The machine may be busy; what hangs takes minutes.
  it.each([
    ["open brackets", "(".repeat(100_000)],
    ["nested brackets", `${"(".repeat(50_000)}a${")".repeat(50_000)}`],
    ["nested pairs", "(a AND ".repeat(14_000)],
    ["nots", "NOT ".repeat(25_000)],
    ["closing brackets", ")".repeat(100_000)],
    ["colons", "a:".repeat(50_000)],
    ["unknown fields", "languag:x ".repeat(10_000)],
    ["quotes", '"'.repeat(99_999)],
    ["comments", "<<<".repeat(33_000)],
    ["tildes", "~5".repeat(50_000)],
    ["a phrase", `"${"a ".repeat(50_000)}"~5`],
    ["one alternative many times", `a${" OR b".repeat(20_000)}`],
    ["many alternatives", Array.from({ length: 12_000 }, (_, n) => `b${n}`).join(" OR ")],
    [
      "alternatives that find the same",
      Array.from({ length: 300 }, (_, n) => `aa*${"?".repeat(n % 7)}${"a*".repeat(n % 40)}`).join(" OR "),
    ],
    ["stars", `ab${"*a".repeat(50_000)}`],
    ["backslashes", "\\".repeat(100_000)],
  ])("%s of 100 kB are read and matched without hanging", (_name, text) => {
    const compiled = compile(text);
    if (compiled.ok) compiled.query.positions(searchableMention({}, "a b c aaaaaaaa ".repeat(1_000)));
  });

  it("matches nested NEAR over a long text without hanging", () => {
    let nested = "a";
    for (let depth = 0; depth < 45; depth++) nested = `((${nested} NEAR/150 b) NOT c)`;
    const compiled = compile(nested);
    expect(compiled.ok && compiled.query.positions(searchableMention({}, "a b ".repeat(3_000)))).toHaveLength(
      200,
    );
  });
});

it("finds a plain emoji in every skin tone and ss for ß, and what is written so only as it is written", () => {
  const finds = (query: string, text: string): boolean => {
    const compiled = compile(query);
    if (!compiled.ok) throw new Error(`${query} is not valid`);
    return compiled.query.matches(searchableMention({}, text));
  };
  expect(finds("👍", "fine 👍🏽")).toBe(true);
  expect(finds("👍🏽", "fine 👍")).toBe(false);
  expect(finds("👍🏽", "fine 👍🏽")).toBe(true);
  expect(finds("strasse", "in der Straße")).toBe(true);
  expect(finds("straße", "in der Strasse")).toBe(false);
  expect(finds("links:shop.example", "x")).toBe(false);
  const linking = { expandedUrls: ["https://shop.example/1"] };
  const links = compile("links:shop.example");
  if (!links.ok) throw new Error("links: is not valid");
  expect(links.query.matches(searchableMention({ ...linking, pageType: "twitter" }))).toBe(true);
  expect(links.query.matches(searchableMention({ ...linking, pageType: "news" }))).toBe(false);
});

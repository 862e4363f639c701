import { describe, expect, it } from "vitest";
import { compile } from "../../../src/listening-api/query-language/compile.ts";
import type { Problem } from "../../../src/listening-api/query-language/problem.ts";
import { SEARCHES } from "../../bench/local-api-searches.ts";

function problemsOf(text: string): readonly Problem[] {
  const compiled = compile(text);
  return compiled.ok ? compiled.query.problems : compiled.problems;
}

function rulesOf(text: string, severity: Problem["severity"]): string[] {
  return problemsOf(text)
    .filter((problem) => problem.severity === severity)
    .map((problem) => problem.rule);
}

describe("a valid query has neither errors nor warnings", () => {
  it.each([
    // A bench that its own searches end measures nothing.
    ...SEARCHES,
    "a",
    "a AND b",
    "a OR b OR c",
    '"two words" AND other',
    "NOT a AND b",
    "a NOT b NOT c",
    "a AND NOT b",
    "a NOT (b AND (c OR d))",
    "(a OR b) AND c",
    "a NOT (b AND c) OR d",
    "((a OR b) NEAR/5 (c OR d)) AND e",
    "(a NEAR/3 b) OR (c NEAR/2 d)",
    "((a NEAR/5 b) NOT (c NEAR/3 d)) AND site:example.com",
    "a NEAR/150 b",
    "a NEAR/2f bc*",
    '"a b"~5',
    "(a OR b)~3",
    "((a OR b) AND c)~7",
    "(a AND b)~2 AND c",
    "ab*",
    "t*est",
    "tes*t",
    "customi?e",
    "42 OR 24*",
    "{BT} AND {Brand Watch}",
    "#tag OR @name OR 🎉 OR €100 OR $50",
    "दुष्प्रचार OR नमस्ते OR 東京 OR café",
    "O'Reilly OR McDonald's",
    "title:x",
    "author:  x",
    'title:"two words"',
    "foo:bar",
    "https://example.org/a",
    "a;b;c",
    "site:example.com/r/path",
    "rating:3 OR rating:0 OR rating:[3 TO 5]",
    "latitude:[41 TO 44]AND longitude:[-73.5 TO -69]",
    "minuteOfDay:[0 TO 1439]",
    "authorFollowers:[0 TO 5000]",
    'city:"deu.berlin.berlin" OR region:usa.fl OR country:gbr OR continent:europe',
    "engagementType:COMMENT OR engagementType:REPLY OR engagementType:RETWEET OR engagementType:QUOTE",
    "guid:857284431631011841 OR guid:1277374998_1015572792854",
    'site:"example.com" AND itemReview:("Box One")',
    "a <<<first>>> OR <<<second (not counted)>>> b",
    "<<<note>>> a",
  ])("%s", (text) => {
    expect(problemsOf(text)).toEqual([]);
  });
});

describe("a query with an error is refused for the rule", () => {
  it.each([
    ["", "empty"],
    [" \n\t", "empty"],
    ["<<<only a note>>>", "empty"],
    ["a AND", "missing-operand"],
    ["OR a", "missing-operand"],
    ["a AND AND b", "missing-operand"],
    ["a AND ()", "missing-operand"],
    ["a NOT", "missing-operand"],
    ["NOT a", "only-negates"],
    ["NOT a NOT b", "only-negates"],
    ["(NOT a) OR NOT b", "only-negates"],
    ["a OR b AND c", "mixed-operators"],
    ["a NOT b AND c OR d", "mixed-operators"],
    ["a b OR c", "mixed-operators"],
    ["(a OR b) NEAR/5 (c OR d) AND e", "mixed-near"],
    ["(a OR b) NEAR/5 (c OR d) OR e", "mixed-near"],
    ["a AND b NEAR/5 c", "mixed-near"],
    ["a NEAR/3 b NEAR/3 c", "mixed-near"],
    ["(a AND b) NEAR/5 c", "near-operand"],
    ["a NEAR/5 (b OR (c AND d))", "near-operand"],
    ["a NEAR b", "near-distance"],
    ["a NEAR/x b", "near-distance"],
    ["a~", "tilde"],
    ["a ~ b", "tilde"],
    ["a~ 5", "tilde"],
    ["a ~5", "tilde"],
    ["a~5t", "tilde"],
    ['"a b"~', "tilde"],
    ["((a OR (b AND (c OR d))) AND e)~5", "tilde-nesting"],
    ["((a NEAR/3 b) AND c)~5", "tilde-nesting"],
    ["*abc", "wildcard"],
    ["a*", "wildcard"],
    ["*", "wildcard"],
    ["東*京", "wildcard"],
    ['"*abc def"', "wildcard"],
    ["title : x", "space-before-colon"],
    ["title :x", "space-before-colon"],
    ["x : y", "space-before-colon"],
    ["title:", "field-value"],
    ["authorVerified:yes", "field-value"],
    ["authorVerified:1", "field-value"],
    ["authorVerifiedType:gold", "field-value"],
    ["engagementType:LIKE", "field-value"],
    ["engagementType:reply", "field-value"],
    ["authorGender:x", "field-value"],
    ["redditSpoiler:no", "field-value"],
    ["rating:6", "field-value"],
    ["rating:[-1 TO 3]", "range"],
    ["rating:[1 to 5]", "range"],
    ["rating:[x TO y]", "range"],
    ["rating:[5 TO 3]", "range"],
    ["latitude:[100 TO 110]", "range"],
    ["longitude:[-200 TO -150]", "range"],
    ["minuteOfDay:[0 TO 1440]", "range"],
    ["minuteOfDay:[-1 TO 100]", "range"],
    ["authorFollowers:5", "range"],
    ["authorFollowers:[-100 TO 5]", "range"],
    ["authorFollowers:[10 TO 5]", "range"],
    ["authorFollowers:[0 TO 10000000000]", "range"],
    ["authorFollowers:[x TO y]", "range"],
    ["site:[1 TO 5]", "range"],
    ["[1 TO 5]", "range"],
    ["guid:abc", "field-value"],
    ["entityId:0", "field-value"],
    ["entityId:-5", "field-value"],
    ["entityId:x", "field-value"],
    ["(a", "unclosed"],
    ['"a', "unclosed"],
    ["{a", "unclosed"],
    ["a <<<note", "unclosed"],
    ["a)", "unopened"],
    ["a]", "unopened"],
    ['a AND "..."', "nothing-to-find"],
    [`${"(".repeat(200)}a${")".repeat(200)}`, "too-deep"],
  ])("%s", (text, rule) => {
    expect(compile(text).ok).toBe(false);
    expect(rulesOf(text, "error")).toContain(rule);
  });
});

describe("a query with a warning is valid", () => {
  it.each([
    ["a b", "implicit-and"],
    ["(a b) OR c", "implicit-and"],
    ["🎉 party", "implicit-and"],
    ["a and b", "lower-case-operator"],
    ["a or b", "lower-case-operator"],
    ["a AND near/5", "lower-case-operator"],
    ["a~5", "tilde-single-word"],
    ['"a"~5', "tilde-single-word"],
    ["#*abc", "wildcard-after-sign"],
    ["@*abc", "wildcard-after-sign"],
    ["a?b?c?d?e", "many-wildcards"],
    ["language:ENG", "field-value"],
    ["language:english", "field-value"],
    ["site:www.example.com", "field-value"],
    ["author:brand*", "field-wildcard"],
    ["publication:Gazette", "field-place"],
    ["raw:x", "field-gone"],
    ["hashtags:x", "field-gone"],
    ["langage:en", "field-unknown"],
    ["sentiment:negative", "field-unknown"],
    ["pageType:news", "field-unknown"],
    ["country:gb", "field-value"],
    ["a OR b NOT c", "ambiguous-not"],
    ["a OR NOT b", "matches-nearly-all"],
    ["a NEAR/5 site:example.com", "near-operand"],
    ["(a AND site:example.com)~5", "near-operand"],
    ["{Donaudampfschifffahrtsgesellschaft}", "upper-case-length"],
    ["“two words”", "typographic-quotes"],
    ["(a <<<note>>> OR b)", "comment-in-brackets"],
  ])("%s", (text, rule) => {
    expect(compile(text).ok).toBe(true);
    expect(rulesOf(text, "warning")).toContain(rule);
  });
});

it("says which fields no mention carries, as a note", () => {
  expect(problemsOf("a NOT redditAuthorFlair:PhD")).toEqual([
    {
      severity: "note",
      rule: "field-without-values",
      start: 6,
      end: 27,
      message:
        "No mention carries redditAuthorFlair: here, so it never matches, and NOT redditAuthorFlair: always does.",
    },
  ]);
});

it("says what NOT means for a mention whose field is not known", () => {
  expect(problemsOf("a NOT (authorGender:F OR country:gbr OR NOT b)")).toMatchObject([
    {
      severity: "note",
      rule: "field-negated",
      start: 2,
      message: expect.stringContaining("authorGender:, country:"),
    },
    { severity: "warning", rule: "matches-nearly-all" },
  ]);
});

it("points at what is wrong and says what to write", () => {
  const at = (text: string) => problemsOf(text).map(({ start, end }) => text.slice(start, end));
  expect(at("one OR two AND three")).toEqual(["AND"]);
  expect(at("one OR (two AND rating:9) OR b*")).toEqual(["rating:9", "b*"]);
  expect(at("one AND (two")).toEqual(["("]);
  expect(at("one two")).toEqual([" "]);
  for (const text of ["a OR b AND c", "a b", "rating:9", "a*", "a~5", "(a AND b) NEAR/3 c", "a AND"]) {
    for (const problem of problemsOf(text)) expect(problem.message).toMatch(/write|remove/);
  }
});

it("gathers all that is wrong in one go, up to a limit", () => {
  expect(rulesOf("rating:9 AND (a* OR b~) AND guid:x", "error")).toEqual([
    "field-value",
    "wildcard",
    "tilde",
    "field-value",
  ]);
  expect(problemsOf(") ".repeat(1_000))).toHaveLength(51);
});

it("takes a guid of any number of ids, and counts both operands of an AND that are equal", () => {
  expect(compile("guid:123_456_789").ok).toBe(true);
  expect(compile("guid:123_x").ok).toBe(false);
  expect(rulesOf("(foo AND foo) NEAR/5 bar", "error")).toContain("near-operand");
  expect(compile("(foo OR foo) NEAR/5 bar").ok).toBe(true);
});

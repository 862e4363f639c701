import { expect, test } from "vitest";
import { isAllowed, readRobots } from "../../src/feeds/run/robots.ts";

const allows = (robots: string, path: string) =>
  isAllowed(readRobots(new Uint8Array(Buffer.from(robots))), `https://a.example${path}`);

test.each<[string, string, string, boolean]>([
  ["nothing is said", "", "/a", true],
  ["all is forbidden", "User-agent: *\nDisallow: /", "/a", false],
  ["an empty rule forbids nothing", "User-agent: *\nDisallow:", "/a", true],
  ["a group for another program", "User-agent: other\nDisallow: /", "/a", true],
  [
    "our own group counts alone",
    "User-agent: *\nDisallow: /\n\nUser-agent: Earshot\nDisallow: /b",
    "/a",
    true,
  ],
  ["our group without rules", "User-agent: *\nDisallow: /\n\nUser-agent: earshot\nDisallow:", "/a", true],
  ["our name in capitals and with a version", "User-agent: EARSHOT/0.1\nDisallow: /a", "/a", false],
  ["a name that begins like ours", "User-agent: earshotbot\nDisallow: /", "/a", true],
  ["several names above a group", "User-agent: x\nUser-agent: earshot\nDisallow: /a", "/a", false],
  [
    "groups of one name are one",
    "User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: *\nDisallow: /b",
    "/a",
    false,
  ],
  [
    "a line between names is no rule",
    "User-agent: earshot\nSitemap: /s\nUser-agent: x\nDisallow: /a",
    "/a",
    false,
  ],
  ["the longest rule wins", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true],
  ["as long: what allows wins", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", true],
  ["a star", "User-agent: *\nDisallow: /*/private", "/x/y/private/z", false],
  ["a star that finds nothing", "User-agent: *\nDisallow: /*/private", "/x/public", true],
  ["an end", "User-agent: *\nDisallow: /*.php$", "/a.php", false],
  ["an end that is not the end", "User-agent: *\nDisallow: /*.php$", "/a.php5", true],
  ["an end after a star, twice in the path", "User-agent: *\nDisallow: /*ab$", "/abxab", false],
  ["parts that overlap do not match", "User-agent: *\nDisallow: /*aba*ba$", "/aba", true],
  ["an end without a star", "User-agent: *\nDisallow: /a$", "/ab", true],
  ["parameters", "User-agent: *\nDisallow: /*?id=", "/a?id=7", false],
  ["comments, blanks and CRLF", "\ufeffUser-Agent : * # all\r\n Disallow : /a # no\r\n", "/a", false],
  ["escapes and letters are the same", "User-agent: *\nDisallow: /%7Eann/\u00fc", "/~ann/%C3%BC", false],
  ["the robots.txt itself", "User-agent: *\nDisallow: /", "/robots.txt", true],
  ["a rule before any group, and one of ours", "Disallow: /a\nUser-agent: earshot\nDisallow: /b", "/a", true],
  ["a rule before any group", "Disallow: /", "/a", true],
  [
    "a group of others behind ours",
    "User-agent: earshot\nDisallow: /a\nUser-agent: x\nDisallow: /b",
    "/b",
    true,
  ],
  [
    "a group of others behind that for all",
    "User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b",
    "/b",
    true,
  ],
  ["a line without a colon", "User-agent: *\nDisallow: /b\nuser-agent*\nDisallow: /a", "/a", false],
  ["no blank behind the colon", "User-agent:*\nDisallow:/a", "/a", false],
  [
    "the longest rule wins, also where it forbids",
    "User-agent: *\nAllow: /a\nDisallow: /a/b",
    "/a/b/c",
    false,
  ],
  ["an end without a star, at the end", "User-agent: *\nDisallow: /a$", "/a", false],
  ["a star alone", "User-agent: *\nDisallow: *", "/a", false],
  ["a star for nothing before an end", "User-agent: *\nDisallow: /a*b$", "/ab", false],
  ["a web page", "<!doctype html><p>Not: found", "/a", true],
])("%s", (_what, robots, path, expected) => {
  expect(allows(robots, path)).toBe(expected);
});

test("of a file without end at most 1,000 rules of 500 letters are kept, and only ours", () => {
  const robots = `User-agent: x\n${"Disallow: /x\n".repeat(5_000)}User-agent: *\n${"Disallow: /y\n".repeat(5_000)}Disallow: /${"z".repeat(501)}`;
  const rules = readRobots(new Uint8Array(Buffer.from(robots)));
  expect(rules).toHaveLength(1_000);
  expect(new Set(rules.map(({ pattern }) => pattern))).toEqual(new Set(["/y"]));
});

test("a rule of 500 letters counts, a longer one does not", () => {
  const [long, longer] = ["z", "y"].map((letter) => `/${letter.repeat(499)}`);
  const robots = `User-agent: *\nDisallow: ${long}\nDisallow: ${longer}y`;
  expect([allows(robots, long ?? ""), allows(robots, `${longer}y`)]).toEqual([false, true]);
});

test("of the rules for us, too, 1,000 are kept", () => {
  const robots = `User-agent: earshot\n${"Disallow: /x\n".repeat(1_001)}`;
  expect(readRobots(new Uint8Array(Buffer.from(robots)))).toHaveLength(1_000);
});

test("a rule that a limit of 512,000 bytes cuts off does not count: half of it would forbid more", () => {
  const group = "User-agent: *\nDisallow: /b\n";
  const beginning = `\nDisallow: /`;
  const robots = `${group}${"#".repeat(512_000 - group.length - beginning.length)}${beginning}private`;
  expect([allows(robots, "/a"), allows(robots, "/b")]).toEqual([true, false]);
  // As long as the limit, the last rule is whole.
  expect(allows(robots.slice(0, 512_000), "/a")).toBe(false);
});

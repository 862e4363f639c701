import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { InsightsWorld } from "./insights/insights-world.ts";
import { countLink, judgeInsights } from "./insights/judge-insights.ts";
import { playInsights } from "./plays/insights.ts";
import { DAY, HOUR } from "./world.ts";

let world: InsightsWorld;
let pages: ReadonlyMap<string, string>;
let listed: ReadonlyMap<string, number>;

/** Every page, with ranges, steps and filters, and days on which the clocks changed. */
function addresses({ now }: InsightsWorld): readonly string[] {
  const ranges = [
    ...[
      "last=24h",
      "last=7d",
      "last=30d",
      "last=90d",
      "last=7d&by=hour",
      "last=30d&by=week",
      "query=13&last=7d",
    ],
    `query=11&query=12&from=${now - 3 * DAY + 7 * HOUR}&to=${now - DAY}`,
    `from=${now - 20 * DAY}&to=${now - 400 * 60_000}&by=day`,
  ];
  const filters = [
    "author=ann",
    "domain=beta.example",
    "category=Service",
    "sentiment=negative",
    "language=de&country=Japan",
    "type=news&category=Price&query=11",
  ];
  return [
    ...["/insights", "/insights/speakers", "/insights/stories"].flatMap((page) => [
      ...ranges.map((range) => `${page}?${range}`),
      ...filters.map((filter) => `${page}?last=30d&${filter}`),
      `${page}?last=7d&${filters[4]}`,
    ]),
    ...["press", "vip"].map((list) => `/insights/speakers?last=30d&list=${list}`),
    ...ranges.map((range) => `/insights/response?${range}`),
  ];
}

beforeAll(async () => {
  ({ world, pages, listed } = await playInsights(addresses));
}, 120_000);

test("what judges imports nothing of the product", () => {
  const folder = join(import.meta.dirname, "insights");
  for (const file of readdirSync(folder))
    expect(readFileSync(join(folder, file), "utf8"), file).not.toMatch(
      /from "(?:#|(?:\.\.\/)+(?:src|console)\/|.*plays\/)/,
    );
});

test("every number, time and link of every page of Insights is true", () => {
  let recounted = 0;
  const findings = [...pages].flatMap(([address, html]) => {
    const judged = judgeInsights(world, address)(html);
    expect(judged.recounted, address).toBeGreaterThan(10);
    recounted += judged.recounted;
    return judged.findings.map(({ block, because }) => `${address}\n  ${block}\n  ${because}`);
  });
  expect(findings.join("\n")).toBe("");
  expect(recounted).toBeGreaterThan(5_000);
});

test("the page of mentions lists those that a number of Insights counts", () => {
  expect(listed.size).toBeGreaterThan(60);
  for (const [link, n] of listed) expect([link, n]).toEqual([link, countLink(world, link)]);
});

test.each([
  "/insights?last=7d",
  "/insights/speakers?last=30d",
  "/insights/stories?last=7d",
  "/insights/response?last=30d",
])("a number of %s is found if it is another one", (address) => {
  const html = pages.get(address) ?? "";
  const missed: string[] = [];
  const numbers = numbersOf(html);
  const judge = judgeInsights(world, address);
  // Each page is judged as a whole, so not all of them.
  const every = Math.ceil(numbers.length / 40);
  for (const { at, text } of numbers.filter((_, n) => n % every === 0)) {
    const other = `${html.slice(0, at)}${Number(text) + 3}${html.slice(at + text.length)}`;
    if (judge(other).findings.length === 0) missed.push(html.slice(at - 80, at + 40).replaceAll(/\s+/g, " "));
  }
  expect(missed).toEqual([]);
});

/** Numbers that are read below the fields; not the round ones of a scale, and not the names of tables for screen readers. */
function numbersOf(html: string): { at: number; text: string }[] {
  const from = html.indexOf("</form>", html.indexOf("<main"));
  return [...html.matchAll(/<([^<>]*)>([^<]+)(?=<)/g)].flatMap(({ index, 1: tag = "", 2: said = "" }) => {
    const start = index + tag.length + 2;
    const isElsewhere = start < from || start > html.indexOf("</main>");
    if (isElsewhere || /^text |class="unseen"/.test(tag)) return [];
    return [...said.matchAll(/\d+/g)].map((one) => ({ at: start + one.index, text: one[0] }));
  });
}

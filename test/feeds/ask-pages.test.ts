import { describe, expect, test } from "vitest";
import type { FeedAnswer, RecheckResult } from "../../src/feeds/common/define-feed.ts";
import { pageReference, recheckPages } from "../../src/feeds/common/recheck-pages.ts";

/** Which pages are asked for, and what is found, where pages answer with these statuses. */
function recheck(pages: Readonly<Record<string, number>>, references = Object.keys(pages)) {
  const stored = references.map((reference, n) => ({ id: `${n + 1}`, reference, ageMs: 0 }));
  const reader = recheckPages(stored);
  const asked: string[] = [];
  let step = reader.next([]);
  while (step.done !== true) {
    const answers: FeedAnswer[] = [];
    for (const { url, page } of step.value) {
      expect(page).toBe(true);
      asked.push(url);
      const status = pages[url];
      if (status !== undefined)
        answers.push({ status, url, json: undefined, document: null, start: "", header: () => null });
    }
    step = reader.next(answers);
  }
  const { gone = [], unanswered = [] }: RecheckResult = step.value;
  return { asked, gone, unanswered: unanswered.map(({ id }) => id) };
}

const FRONT = { "https://a.example/": 200 };
const goneAs = (id: string, isSiteThere: boolean, status = 404) => ({
  ...{ id, isSiteThere, reason: `its page is gone: its site answers ${status}` },
});

describe("pages that are asked for again", () => {
  test.each([200, 203, 204, 206, 304])("a page that answers %i is there", (status) => {
    const found = recheck({ "https://a.example/1": status });
    expect(found).toEqual({ asked: ["https://a.example/1"], gone: [], unanswered: [] });
  });

  test.each([0, 301, 400, 401, 403, 429, 500, 503])("a page that answers %i says nothing", (status) => {
    const found = recheck({ "https://a.example/1": status });
    expect(found).toEqual({ asked: ["https://a.example/1"], gone: [], unanswered: ["1"] });
  });

  test("a page without an answer says nothing", () => {
    expect(recheck({}, ["https://a.example/1"])).toMatchObject({ gone: [], unanswered: ["1"] });
  });

  test.each([
    [404, 200, true],
    [410, 304, true],
    [404, 404, false],
    [404, 503, false],
    [404, undefined, false],
  ])("a page answers %i, and the front page %s: its site is there: %s", (status, front, isSiteThere) => {
    const pages = {
      "https://a.example/1": status,
      ...(front === undefined ? {} : { "https://a.example/": front }),
    };
    const found = recheck(pages, ["https://a.example/1"]);
    expect(found.asked).toEqual(["https://a.example/1", "https://a.example/"]);
    expect(found).toMatchObject({ gone: [goneAs("1", isSiteThere, status)], unanswered: [] });
  });

  test("of two pages one is gone: the front page decides", () => {
    const pages = { "https://a.example/1": 404, "https://a.example/2": 200 };
    const found = recheck({ ...pages, ...FRONT }, Object.keys(pages));
    expect(found.asked).toHaveLength(3);
    expect(found).toMatchObject({ gone: [goneAs("1", true)], unanswered: [] });
  });

  test("of three pages one is gone, one fails, and one is there", () => {
    const pages = { "https://a.example/1": 503, "https://a.example/2": 410, "https://a.example/3": 200 };
    const found = recheck({ ...pages, ...FRONT }, Object.keys(pages));
    expect(found).toMatchObject({ gone: [goneAs("2", true, 410)], unanswered: ["1"] });
  });

  test("of a site that answers so for all of two pages, none is gone, and its front page is not asked", () => {
    const pages = { "https://a.example/1": 404, "https://a.example/2": 410 };
    const found = recheck({ ...pages, ...FRONT }, Object.keys(pages));
    expect(found.asked).toEqual(Object.keys(pages));
    expect(found.gone).toEqual([goneAs("1", false), goneAs("2", false, 410)]);
  });

  test("each site is judged by itself", () => {
    const pages = { "https://a.example/1": 404, "https://b.example/1": 404 };
    const found = recheck({ ...pages, ...FRONT }, Object.keys(pages));
    expect(found.gone).toEqual([goneAs("1", true), goneAs("2", false)]);
  });

  test("an item without an address is not asked for, and nothing is said of it", () => {
    const reader = recheckPages([
      { id: "1", reference: null, ageMs: 0 },
      { id: "2", reference: "no address", ageMs: 0 },
    ]);
    expect(reader.next([])).toEqual({
      ...{ done: true, value: { items: [], deletes: [], gone: [], unanswered: [] } },
    });
  });
});

test("the page of an item is its address, if that is one that can be asked for and was not cut", () => {
  const long = `https://a.example/${"x".repeat(981)}`;
  expect(long).toHaveLength(999);
  expect([null, "mailto:a@b.example", "https://a.example/1", long, `${long}x`].map(pageReference)).toEqual([
    ...[{}, {}, { reference: "https://a.example/1" }, { reference: long }, {}],
  ]);
});

import { expect, test } from "vitest";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { type FetchPagesOptions, fetchPages } from "../../../src/monitor/source/fetch-pages.ts";
import { toMention } from "../../../src/monitor/source/to-mention.ts";
import type { Page } from "../../../src/monitor/source/to-page.ts";

const OPTIONS: FetchPagesOptions = { cursor: null, pageSize: 2, endOnShortPage: true };

function mention(resourceId: string): Mention {
  const outcome = toMention({ resourceId, queryId: 1, added: "2026-01-01T00:00:00.000+0000" });
  if (outcome.mention === null) throw new Error(outcome.rejection.reason);
  return outcome.mention;
}

function page(ids: readonly string[], nextCursor: string | null, more: Partial<Page> = {}): Page {
  return {
    mentions: ids.map(mention),
    rejected: [],
    nextCursor,
    total: null,
    pageSize: null,
    budget: null,
    servedAt: null,
    revision: null,
    ...more,
  };
}

/** Pages by the cursor that asks for them, "" for the first. */
async function readAll(pages: Record<string, Page>, options: Partial<FetchPagesOptions> = {}) {
  const asked: (string | null)[] = [];
  const given: string[][] = [];
  const fetchPage = async (cursor: string | null): Promise<Page> => {
    asked.push(cursor);
    const found = pages[cursor ?? ""];
    if (found === undefined) throw new Error(`nobody has a page for ${cursor}`);
    return found;
  };
  for await (const one of fetchPages(fetchPage, { ...OPTIONS, ...options })) {
    given.push(one.mentions.map(({ resourceId }) => resourceId));
  }
  return { asked, given };
}

test("paging follows the next cursor until a page has none", async () => {
  const pages = { "": page(["a", "b"], "1"), "1": page(["c", "d"], "2"), "2": page(["e", "f"], null) };
  expect(await readAll(pages)).toEqual({
    asked: [null, "1", "2"],
    given: [
      ["a", "b"],
      ["c", "d"],
      ["e", "f"],
    ],
  });
});

test("paging begins at the stored cursor", async () => {
  expect((await readAll({ "7": page(["a", "b"], null) }, { cursor: "7" })).asked).toEqual(["7"]);
});

test("an empty first page is given, because it says that there is nothing", async () => {
  expect((await readAll({ "": page([], "1") })).given).toEqual([[]]);
});

test("a later empty page ends the paging and is not returned", async () => {
  const pages = { "": page(["a", "b"], "1"), "1": page([], "1") };
  expect(await readAll(pages)).toEqual({ asked: [null, "1"], given: [["a", "b"]] });
});

test("a short page ends the paging, unless the caller wants to be sure", async () => {
  const pages = { "": page(["a"], "1"), "1": page([], null) };
  expect((await readAll(pages)).asked).toEqual([null]);
  expect((await readAll(pages, { endOnShortPage: false })).asked).toEqual([null, "1"]);
});

test("a server with smaller pages than requested is read to its end", async () => {
  const pages = {
    "": page(["a", "b"], "1", { pageSize: 2 }),
    "1": page(["c"], null, { pageSize: 2 }),
  };
  expect((await readAll(pages, { pageSize: 5_000 })).asked).toEqual([null, "1"]);
});

test("rejected mentions count for the fullness of a page", async () => {
  const rejected = [{ index: 1, resourceId: null, reason: "resourceId is missing or unusable" }];
  const pages = { "": page(["a"], "1", { rejected }), "1": page(["b"], null) };
  expect((await readAll(pages)).asked).toEqual([null, "1"]);
});

test("a cursor that repeats, at once or in a circle, ends the paging if it leads to the same page", async () => {
  const same = await readAll({ "": page(["a", "b"], "1"), "1": page(["c", "d"], "1") });
  expect(same).toEqual({
    asked: [null, "1", "1"],
    given: [
      ["a", "b"],
      ["c", "d"],
    ],
  });
  const circle = { "": page(["a", "b"], "1"), "1": page(["c", "d"], "2"), "2": page(["e", "f"], "1") };
  expect((await readAll(circle)).asked).toEqual([null, "1", "2"]);
  expect((await readAll({ "7": page(["a", "b"], "7") }, { cursor: "7" })).given).toEqual([["a", "b"]]);
});

test("a cursor whose position the server keeps itself is followed to the end", async () => {
  const left = [page(["a", "b"], "s"), page(["c", "d"], "s"), page(["e", "f"], "s"), page([], "s")];
  const given: string[][] = [];
  for await (const { mentions } of fetchPages(async () => left.shift() ?? page([], "s"), OPTIONS))
    given.push(mentions.map(({ resourceId }) => resourceId));
  expect(given).toEqual([
    ["a", "b"],
    ["c", "d"],
    ["e", "f"],
  ]);
});

test("a short page of a source that counts more is not the last", async () => {
  const pages = { "": page(["a"], "1", { total: 2 }), "1": page(["b"], "2", { total: 2 }) };
  expect((await readAll(pages)).asked).toEqual([null, "1"]);
});

test("leaving the loop stops the running call", async () => {
  let stopped = false;
  const leaving = new AbortController();
  const fetchPage = (cursor: string | null, signal: AbortSignal): Promise<Page> =>
    cursor === null
      ? Promise.resolve(page(["a", "b"], "1"))
      : new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            stopped = true;
            reject(new Error("stopped"));
          });
          leaving.abort();
        });
  const pages = fetchPages(fetchPage, { ...OPTIONS, signal: leaving.signal });
  await pages.next();
  await expect(pages.next()).rejects.toThrow("stopped");
  expect(stopped).toBe(true);
});

import { expect, test } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { createFetchInsights } from "../../../src/monitor/digest/fetch-insights.ts";
import type { WatchedQuery } from "../../../src/monitor/model/query.ts";

/** A source that lists so many authors, the last of them the first one again, on another site. */
function fetchFrom(rows: number) {
  const authors = Array.from({ length: rows }, (_, index) => ({
    ...{ name: index === rows - 1 ? "ann" : `author ${index}`, volume: rows - index },
    negative: 1,
  }));
  const source = {
    hashtags: async () => [{ name: "#sale", volume: 7 }],
    extensions: { topAuthors: async () => [{ name: "Ann", volume: 50, negative: null }, ...authors] },
  } as unknown as ReturnType<Parameters<typeof createFetchInsights>[0]>;
  const fetch = createFetchInsights(
    () => source,
    createLog({ level: "silent" }),
    new AbortController().signal,
  );
  return fetch([{ projectId: "1", queryId: "7" } as WatchedQuery], { from: 0, to: 86_400_000 });
}

test("the rows of an author on several sites are one author", async () => {
  expect((await fetchFrom(2))?.authors[0]).toEqual({ name: "Ann", mentions: 51, negative: null });
});

test("a list of authors that is cut off is not added up: a row of the same author may be missing", async () => {
  expect(await fetchFrom(60)).toBeNull();
});

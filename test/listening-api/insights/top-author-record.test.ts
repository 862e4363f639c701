import { expect, test } from "vitest";
import { topAuthorRecord, topSiteRecord } from "../../../src/listening-api/insights/top-author-record.ts";
import type { TopAuthor } from "../../../src/listening-api/store/top-authors.ts";

const ANN = { author: "ann", domain: "blog.example", queryIds: [1, 2] } as unknown as TopAuthor;
const NAMES = new Map([[1, "Acme"]]);

test("an author has the name of a site behind its own, where one is known, and queries that are gone their id", () => {
  expect(topAuthorRecord(ANN, NAMES)).toMatchObject({ id: "ann-blog.example", name: "ann" });
  expect(topAuthorRecord({ ...ANN, domain: null }, NAMES)).toMatchObject({ id: "ann", name: "ann" });
  expect(topAuthorRecord(ANN, NAMES).values.map(({ name }) => name)).toEqual(["Acme", "2"]);
});

test("a site has its own name, and the author of most of its mentions, if there is one", () => {
  const site = (author: string) => topSiteRecord({ ...ANN, author }, NAMES);
  expect(site("ann")).toMatchObject({
    id: "blog.example",
    name: "blog.example",
    data: { authorName: "ann" },
  });
  expect(site("").data.authorName).toBeNull();
});

import { afterAll, beforeAll, expect, it, test } from "vitest";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { putTag } from "../../../src/listening-api/store/labels.ts";
import { putQueryGroup } from "../../../src/listening-api/store/query-groups.ts";
import { type Fixture, startFixture } from "../fixture.ts";

let fixture: Fixture;
let project: string;
const made: Record<"urgent" | "later" | "group" | "empty", number> = {
  urgent: 0,
  later: 0,
  group: 0,
  empty: 0,
};
const UNCOUNTED = { resultsTotal: -1, resultsPage: -1, resultsPageSize: -1 };

beforeAll(async () => {
  fixture = await startFixture();
  const { projectId, queries, userId } = fixture.account;
  project = `/projects/${projectId}`;
  const db = createDatabase(fixture.database.pool);
  made.urgent = await putTag(db, projectId, "Urgent");
  made.later = await putTag(db, projectId, "Later");
  expect(await putTag(db, projectId, "Urgent")).toBe(made.urgent);
  const queryIds = [...queries.values()];
  made.group = await putQueryGroup(db, { projectId, name: "All", queryIds, userId });
  made.empty = await putQueryGroup(db, { projectId, name: "Empty", queryIds: [] });
});
afterAll(() => fixture.stop());

test("tags", async () => {
  expect((await fixture.get(`${project}/tags`)).body).toEqual({
    ...UNCOUNTED,
    results: [
      { id: made.urgent, name: "Urgent" },
      { id: made.later, name: "Later" },
    ],
  });
});

test("tags with the rules that set them, of which there are none", async () => {
  const { results } = (await fixture.get(`${project}/ruletags`)).body;
  expect(results[0]).toEqual({
    id: made.urgent,
    name: "Urgent",
    displayName: null,
    queryIds: null,
    rules: [],
    matchingType: "manual",
  });
});

test("categories, and the same with their rules", async () => {
  const plain = (await fixture.get(`${project}/categories`)).body;
  expect(plain).toEqual({
    ...UNCOUNTED,
    results: [
      {
        id: expect.any(Number),
        name: "Topics",
        multiple: true,
        children: [
          { id: expect.any(Number), name: "Price", ordering: 0 },
          { id: expect.any(Number), name: "Safety", ordering: 1 },
        ],
      },
    ],
  });
  const ruled = (await fixture.get(`${project}/rulecategories`)).body;
  expect(ruled.results[0].children[1]).toEqual({ ...plain.results[0].children[1], rules: [] });
});

test("query groups with their queries and their owner", async () => {
  const { account } = fixture;
  const sharing = { shared: "public", sharedProjectIds: [account.projectId] };
  const user = { id: account.userId, username: "ann@acme.example" };
  expect((await fixture.get(`${project}/querygroups`)).body).toEqual({
    ...UNCOUNTED,
    results: [
      {
        id: made.group,
        name: "All",
        ...sharing,
        queries: [
          { id: account.queries.get("Alpha"), name: "Alpha" },
          { id: account.queries.get("Beta"), name: "Beta" },
        ],
        users: [user],
        userId: user.id,
        userName: user.username,
      },
      { id: made.empty, name: "Empty", ...sharing, queries: [], users: [], userId: null, userName: null },
    ],
  });
});

it("gives lists in pages where that is asked", async () => {
  const page = async (path: string, ...parameters: [string, number][]) =>
    (await fixture.get(`${project}${path}`, parameters)).body;
  expect(await page("/queries/summary", ["page", 1], ["pageSize", 1])).toMatchObject({
    resultsTotal: 2,
    resultsPage: 1,
    resultsPageSize: 1,
    results: [{ name: "Beta" }],
  });
  expect(await page("/tags", ["pageSize", 1])).toMatchObject({
    resultsTotal: -1,
    resultsPage: 0,
    resultsPageSize: 1,
    results: [{ name: "Urgent" }],
  });
  expect((await page("/tags", ["page", 9], ["pageSize", 1])).results).toEqual([]);
  expect(await page("/tags", ["page", -1], ["pageSize", -1])).toMatchObject(UNCOUNTED);
});

test.each([
  [["page", 1], /^page: expected a pageSize/],
  [["pageSize", 0], /^pageSize: expected an integer from 1/],
  [["pageSize", 5001], /^pageSize/],
  [["pageSize", "x"], /^pageSize: expected an integer, got "x"/],
] as const)("a page that is none is told: %j", async (parameter, message) => {
  const { status, body } = await fixture.get(`${project}/tags`, [parameter]);
  expect(status).toBe(400);
  expect(body.errors[0].message).toMatch(message);
});

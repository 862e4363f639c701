import { expect, test } from "vitest";
import { mentions } from "../../../src/monitor/source/calls/mentions.ts";

const range = { startDate: Date.UTC(2026, 0, 1), endDate: Date.UTC(2026, 1, 1) };

test("dates carry their offset with an encoded plus, and queryId is repeated", () => {
  expect(mentions.path({ projectId: "19", queryIds: ["1", "2"], ...range })).toBe(
    "/projects/19/data/mentions?queryId=1&queryId=2" +
      "&startDate=2026-01-01T00%3A00%3A00.000%2B0000&endDate=2026-02-01T00%3A00%3A00.000%2B0000",
  );
});

test("everything else is sent under its name in the API", () => {
  const path = mentions.path({
    projectId: "../evil",
    queryGroupIds: ["3"],
    ...range,
    orderBy: "added",
    orderDirection: "asc",
    pageSize: 5_000,
    page: 0,
    cursor: "a+b/c=&d",
    sinceAdded: Date.UTC(2026, 0, 2),
    sinceUpdated: Date.UTC(2026, 0, 3),
  });
  const url = new URL(path, "http://source");
  expect(url.pathname).toBe("/projects/..%2Fevil/data/mentions");
  expect([...url.searchParams].filter(([name]) => !name.endsWith("Date"))).toEqual([
    ["queryGroupId", "3"],
    ["sinceAdded", "2026-01-02T00:00:00.000+0000"],
    ["sinceUpdated", "2026-01-03T00:00:00.000+0000"],
    ["orderBy", "added"],
    ["orderDirection", "asc"],
    ["pageSize", "5000"],
    ["page", "0"],
    ["cursor", "a+b/c=&d"],
  ]);
});

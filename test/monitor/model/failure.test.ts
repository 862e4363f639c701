import { expect, test } from "vitest";
import { jobScope, queryScope, scopeOfSource, sourceOfScope } from "../../../src/monitor/model/failure.ts";

test.each([
  ["account", "account", "account"],
  ["feeds", "account", "feeds: account"],
  ["account", "query list of 1", "query list of 1"],
  ["feeds", queryScope({ projectId: "feeds-1", queryId: "7" }), "query feeds-1/7"],
  ["account", queryScope({ projectId: "1", queryId: "7" }), "query 1/7"],
  ["account", queryScope({ projectId: "1", queryId: "feeds-1" }), "query 1/feeds-1"],
] as const)(
  "a failed call of the %s, %s, is noted where its source is found again",
  (source, call, scope) => {
    expect(scopeOfSource(source, call)).toBe(scope);
    expect(sourceOfScope(scope)).toBe(source);
  },
);

test("the words of a scope say nothing about its source, unless they begin it", () => {
  expect(sourceOfScope("mentions of feeds: account")).toBe("account");
  expect(sourceOfScope("a query feeds-")).toBe("account");
});

test("the scope of a job is the same in whatever order its payload is", () => {
  const scope = "close-windows 1 7";
  expect(jobScope("close-windows", { projectId: "1", queryId: "7" })).toBe(scope);
  expect(jobScope("close-windows", { queryId: "7", projectId: "1" })).toBe(scope);
  expect(jobScope("build-digest", { name: "morning", localDate: "2026-03-02" })).toBe(
    "build-digest 2026-03-02 morning",
  );
});

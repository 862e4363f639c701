import { expect, test } from "vitest";
import { completionScript, describeCall, listCalls } from "../../../src/cli/api/help.ts";
import { API_CALLS, findCall } from "../../../src/monitor/source/call-table.ts";

test.each([
  ["mentions", "mentions"],
  ["login", "token"],
  ["user", "me"],
  ["stories", "urls"],
  ["volume", "chart"],
  ["projects/summary", "projects"],
  ["queries/summary", "queries"],
  ["ruletags", "rule-tags"],
  ["fulltext", "mentions-fulltext"],
  ["mentions/count", "mention-count"],
  ["topauthors/queries", "top-authors"],
  ["/projects/1998001/data/mentions.json", "mentions"],
  ["Query Groups", "query-groups"],
])("%s is the call %s", (word, name) => {
  expect(findCall(word)?.name).toBe(name);
});

test("a word that could be several calls, or is none, finds nothing", () => {
  expect(findCall("summary")).toBeUndefined();
  expect(findCall("wuery")).toBeUndefined();
  expect(findCall("")).toBeUndefined();
});

test("every call is listed, explained with an example, and completed", () => {
  const list = listCalls();
  const script = completionScript(["--json"]);
  for (const call of API_CALLS) {
    expect(list).toContain(call.summary);
    expect(describeCall(call)).toMatch(new RegExp(`^  earshot api ${call.name}( .*)?$`, "m"));
    expect(script).toMatch(new RegExp(`^    ${call.name}\\) words=`, "m"));
  }
});

test("what a call is about follows from its path", () => {
  const needs = Object.fromEntries(API_CALLS.map((call) => [call.name, call.needs]));
  expect(needs).toMatchObject({ me: "account", queries: "project", chart: "mentions", urls: "mentions" });
});

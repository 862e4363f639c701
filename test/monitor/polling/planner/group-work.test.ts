import { expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../../src/lib/instant.ts";
import type { QueryGroup } from "../../../../src/monitor/model/query-group.ts";
import type { ServerQuirk } from "../../../../src/monitor/model/server-quirk.ts";
import { decideGroupWork, judgeTrial } from "../../../../src/monitor/polling/planner/group-work.ts";

const NOW = Date.UTC(2026, 2, 2, 12);
const SCARCE = { limit: { limit: 30, periodMs: 10 * MINUTE }, sharing: "proven" } as const;

function group(groupId: string, more: Partial<QueryGroup> = {}): QueryGroup {
  const moments = { readAt: NOW - MINUTE, doubtedAt: null, triedAt: null };
  return {
    projectId: "p",
    groupId,
    name: groupId,
    queryIds: ["1", "2"],
    surplusRate: null,
    ...moments,
    ...more,
  };
}

function decide(
  groups: readonly QueryGroup[],
  value: "answered" | "refused" | "without-query" | "none" | null,
  {
    lastAt = NOW - HOUR,
    ...more
  }: { lastAt?: Instant } & Partial<Parameters<typeof decideGroupWork>[0]> = {},
) {
  const quirk = { quirk: "groups", value: value ?? "", ms: null, firstAt: lastAt, lastAt } as const;
  const quirks = new Map<"groups", ServerQuirk>(value === null ? [] : [["groups", quirk]]);
  return decideGroupWork({ budget: SCARCE, projects: ["p"], unsettled: [], groups, quirks, ...more }, NOW);
}

test("groups are read where one address has no room for all queries, and where calls are scarce and shared", () => {
  expect(decide([], null)).toEqual({ outcome: "Read", projects: ["p"] });
  expect(decide([], null, { projects: [] })).toMatchObject({ because: "NotScarce" });
  expect(decide([], null, { budget: { limit: null, sharing: "proven" } })).toMatchObject({
    because: "NotScarce",
  });
  expect(decide([], null, { budget: { ...SCARCE, sharing: "untried" } })).toMatchObject({
    because: "NotShared",
  });
});

test("lists are read again after a while, and an account without groups seldom", () => {
  expect(decide([group("a")], "answered")).toMatchObject({ because: "NotDue" });
  expect(decide([group("a", { readAt: NOW - 31 * MINUTE })], "answered").outcome).toBe("Read");
  expect(decide([], "none", { lastAt: NOW - 59 * MINUTE })).toMatchObject({ because: "NotDue" });
  expect(decide([], "none").outcome).toBe("Read");
});

test("our own groups are changed by the list that was just read, until a change was not answered", () => {
  const unsettled = (isSure: boolean) => ({ unsettled: [{ projectId: "p", isSure }] });
  const fresh = { lastAt: NOW - MINUTE };
  const change = { outcome: "Change", projects: ["p"], readAt: NOW - MINUTE };
  expect(decide([], "none", { ...fresh, ...unsettled(true) })).toEqual(change);
  expect(decide([group("a")], "answered", unsettled(true))).toEqual(change);
  expect(decide([], "none", { ...fresh, ...unsettled(false) })).toMatchObject({ because: "NotDue" });
  expect(decide([], "none", { lastAt: NOW - 2 * MINUTE, ...unsettled(false) }).outcome).toBe("Read");
  expect(decide([], "none", unsettled(true)).outcome).toBe("Read");
  // Ours are not needed any more.
  const needless = { projects: [], ...unsettled(true) };
  expect(decide([group("a")], "answered", needless)).toEqual(change);
  expect(decide([group("a", { readAt: NOW - HOUR })], "answered", needless).outcome).toBe("Read");
  expect(decide([group("a")], "answered", { projects: [], ...unsettled(false) })).toMatchObject({
    because: "NotScarce",
  });
});

test("before groups are named, one is tried; after a trial that showed nothing the next one, ten minutes later", () => {
  const [small, large] = [group("small"), group("large", { queryIds: ["1", "2", "3"] })];
  expect(decide([small, large], null)).toMatchObject({ outcome: "Try", groups: [{ groupId: "large" }] });
  const tried = (ms: number) => decide([small, { ...large, triedAt: NOW - ms }], null);
  expect(tried(9 * MINUTE)).toMatchObject({ because: "NotDue" });
  expect(tried(10 * MINUTE)).toMatchObject({ outcome: "Try", groups: [{ groupId: "small" }] });
  expect(decide([small], "answered")).toMatchObject({ because: "NotDue" });
});

test("a server that refused groups, or did not name queries, is left alone for a day", () => {
  for (const value of ["refused", "without-query"] as const) {
    expect(decide([], value)).toMatchObject({ because: "Refused" });
    expect(decide([], value, { lastAt: NOW - DAY }).outcome).toBe("Read");
  }
});

test("after a call that failed the list is read, then its groups are tried together, then one by one", () => {
  const doubted = { doubtedAt: NOW - 2 * MINUTE };
  const before = { ...doubted, readAt: NOW - 3 * MINUTE };
  expect(decide([group("a", before), group("b", before)], "answered").outcome).toBe("Read");
  const groups = [group("a", doubted), group("b", doubted), group("c")];
  expect(decide(groups, "answered")).toMatchObject({ groups: [{ groupId: "a" }, { groupId: "b" }] });
  const failed = (ms: number) => ({ doubtedAt: NOW - ms, triedAt: NOW - ms, readAt: NOW - MINUTE });
  expect(decide([group("a", failed(2 * MINUTE))], "answered")).toMatchObject({ because: "NotDue" });
  expect(
    decide([group("a", failed(11 * MINUTE)), group("b", failed(11 * MINUTE))], "answered"),
  ).toMatchObject({
    groups: [{ groupId: "a" }],
  });
});

test("a trial proves something if it has mentions of several members, and of nobody else", () => {
  const judge = (...ids: (string | undefined)[]) =>
    judgeTrial([group("a"), group("b", { queryIds: ["3"] })], {
      mentions: ids.filter((id) => id !== undefined).map((queryId) => ({ queryId })),
      rejected: ids.filter((id) => id === undefined).map(() => ({})),
    });
  expect(judge("1", "3", "1", undefined)).toBe("Answered");
  expect(judge("1", "1")).toBe("Unproven");
  expect(judge()).toBe("Unproven");
  expect(judge("1", "2", "stranger")).toBe("Unproven");
  expect(judge(undefined, undefined)).toBe("WithoutQuery");
});

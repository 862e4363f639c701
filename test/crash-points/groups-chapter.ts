import type { Chapter, Happening } from "./chapter.ts";
import { SHARING } from "./upkeep-chapter.ts";

const calm = { sentiment: "neutral", snippet: "Nothing much" };

/** They are in the account, and nobody watches them any more. */
function leave(...queries: readonly string[]): Happening {
  const names = queries.map((name) => `'${name}'`).join();
  return { sql: `update local_api.query set name = 'not watched ' || id where name in (${names})` };
}

/** Earshot makes a group of the account's queries, changes it, and removes it. */
export const GROUPS: Chapter = {
  name: "groups",
  // More than an address of the harness has room for.
  also: ["groups 2", "groups 3", "groups 4"],
  account: { rateLimit: { limit: 3_000, minutes: 1 } },
  source: {
    ...{ queries: ["groups*"], mayCreateGroups: true, pollEvery: "1h", updatesEvery: "1d" },
    ...{ overlap: "0s", lookback: "1h", settle: "0s" },
  },
  from: "09:00",
  said: [
    ["09:01", { ...calm, resourceId: "first" }],
    ["09:02", { ...calm, resourceId: "second", query: "groups 2" }],
    ["09:14", { ...calm, resourceId: "third" }],
    ["09:14", { ...calm, resourceId: "fourth", query: "groups 2" }],
  ],
  shows: [
    /^change of the account: \{"nth":1,"action":"create",.*"queries":4/,
    /^change of the account: \{"nth":2,"action":"update",.*"queries":3/,
    /^change of the account: \{"nth":3,"action":"delete"/,
  ],
  hides: [/^(group of the account|known group|note): /],
  points: /earshot\.query_groups|earshot\.settings|querygroups/,
  before: [{ sql: SHARING }, { until: "09:05" }],
  // One query leaves and the group is changed, by a list that was read just now. Another leaves, and the rest fits into an
  // address: it is removed, by the list from then. What a kill left open is done by the rounds that follow.
  happenings: [
    { upkeep: true },
    { until: "09:12" },
    leave("groups 4"),
    { upkeep: true },
    { until: "09:40" },
    leave("groups 3"),
    { upkeep: true },
    { until: "09:44" },
    { upkeep: true },
  ],
};

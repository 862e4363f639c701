import { expect, test } from "vitest";
import { expectedOf } from "./expected.ts";
import { planKills, WORKER_ROLES } from "./plan-kills.ts";
import { AUTHOR, createStream, LATEST_MS, QUERIES } from "./stream.ts";

test("the same seed kills at the same moments, in order, and hits everybody", () => {
  const given = { everyMs: 1_000, queue: "redis" } as const;
  const few = planKills({ ...given, seed: 3, kills: 40 });
  expect(new Set(few.map(({ kind }) => kind)).size).toBe(5);
  expect(new Set(few.flatMap((kill) => (kill.kind === "worker" ? [kill.slot] : []))).size).toBe(
    WORKER_ROLES.length,
  );
  const kills = planKills({ ...given, seed: 3, kills: 200 });
  expect(planKills({ ...given, seed: 3, kills: 200 })).toEqual(kills);
  expect(planKills({ ...given, seed: 4, kills: 200 })).not.toEqual(kills);
  expect(kills.map(({ at }) => at)).toEqual(kills.map(({ at }) => at).toSorted((a, b) => a - b));
  expect(kills.at(-1)?.at).toBeLessThan(200_000);
  const slots = kills.flatMap((kill) => (kill.kind === "worker" ? [kill.slot] : []));
  expect(new Set(slots).size).toBe(WORKER_ROLES.length);
  expect(new Set(kills.map(({ kind }) => kind)).size).toBe(5);
  const ofTables = planKills({ ...given, queue: "postgres", seed: 3, kills: 200 });
  expect(new Set(ofTables.map(({ kind }) => kind)).size).toBe(4);
});

test("a stream has mentions of all queries, and changes only visible ones", () => {
  const mentions = createStream({ seed: 1, lastsMs: 60_000, perSecond: 10 });
  expect(mentions).toHaveLength(600);
  expect(createStream({ seed: 1, lastsMs: 60_000, perSecond: 10 })).toEqual(mentions);
  expect(new Set(mentions.map(({ resourceId }) => resourceId)).size).toBe(600);
  expect(new Set(mentions.map(({ query }) => query)).size).toBe(QUERIES.length);
  for (const { at, turnsAt, indexedAfter, author } of mentions) {
    expect(author).toMatch(AUTHOR);
    expect(indexedAfter).toBeLessThanOrEqual(LATEST_MS);
    if (turnsAt !== null) expect(turnsAt).toBeGreaterThan(at + indexedAfter);
  }
});

test("the expected result of a stream follows from its mentions alone", () => {
  const planned = (more: object) => ({
    ...{ query: "Acme", author: "author-000001", text: "nothing", sentiment: "neutral" as const },
    ...{ at: 0, indexedAfter: 0, turnsAt: null, ...more },
  });
  const expected = expectedOf(
    [
      { ...planned({}), resourceId: "m1" },
      { ...planned({ text: "a recall" }), resourceId: "m2" },
      { ...planned({ text: "a recall" }), resourceId: "m3" },
      { ...planned({ author: "author-000002", turnsAt: 9 }), resourceId: "m4" },
    ],
    { withScenario: false },
  );
  expect(expected).toEqual({
    mentions: new Map([
      ["Acme m1", "neutral"],
      ["Acme m2", "neutral"],
      ["Acme m3", "neutral"],
      ["Acme m4", "negative"],
    ]),
    counts: new Map([
      ["all Acme", 4],
      ["negative Acme", 1],
    ]),
    alerts: ["recall-words Acme author-000001", "somebody-is-unhappy Acme author-000002"],
    sent: ["#recalls author-000001", "#unhappy author-000002", "team author-000002"],
    may: [],
  });
});

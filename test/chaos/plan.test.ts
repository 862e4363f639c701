import { expect, test } from "vitest";
import { heldOf } from "./held.ts";
import { CREW, ENOUGH_FOR_ALL, planStrikes } from "./plan-strikes.ts";
import { createStream, LATEST_MS, QUERIES, VOICE } from "./stream.ts";

test("the same seed strikes at the same moments, in order, and hits everybody", () => {
  const few = planStrikes({ seed: 3, kills: ENOUGH_FOR_ALL, everyMs: 1_000 });
  expect(new Set(few.map(({ kind }) => kind)).size).toBe(4);
  expect(new Set(few.flatMap((strike) => (strike.kind === "worker" ? [strike.place] : []))).size).toBe(
    CREW.length,
  );
  const strikes = planStrikes({ seed: 3, kills: 200, everyMs: 1_000 });
  expect(planStrikes({ seed: 3, kills: 200, everyMs: 1_000 })).toEqual(strikes);
  expect(planStrikes({ seed: 4, kills: 200, everyMs: 1_000 })).not.toEqual(strikes);
  expect(strikes.map(({ at }) => at)).toEqual(strikes.map(({ at }) => at).toSorted((a, b) => a - b));
  expect(strikes.at(-1)?.at).toBeLessThan(200_000);
  const places = strikes.flatMap((strike) => (strike.kind === "worker" ? [strike.place] : []));
  expect(new Set(places).size).toBe(CREW.length);
  expect(new Set(strikes.map(({ kind }) => kind)).size).toBe(4);
});

test("a stream has mentions of all queries, and changes only visible ones", () => {
  const sayings = createStream({ seed: 1, lastsMs: 60_000, perSecond: 10 });
  expect(sayings).toHaveLength(600);
  expect(createStream({ seed: 1, lastsMs: 60_000, perSecond: 10 })).toEqual(sayings);
  expect(new Set(sayings.map(({ resourceId }) => resourceId)).size).toBe(600);
  expect(new Set(sayings.map(({ query }) => query)).size).toBe(QUERIES.length);
  for (const { at, turnsAt, indexedAfter, author } of sayings) {
    expect(author).toMatch(VOICE);
    expect(indexedAfter).toBeLessThanOrEqual(LATEST_MS);
    if (turnsAt !== null) expect(turnsAt).toBeGreaterThan(at + indexedAfter);
  }
});

test("the expected result of a stream follows from its mentions alone", () => {
  const said = (more: object) => ({
    ...{ query: "Acme", author: "voice-000001", text: "nothing", sentiment: "neutral" as const },
    ...{ at: 0, indexedAfter: 0, turnsAt: null, ...more },
  });
  const held = heldOf(
    [
      { ...said({}), resourceId: "m1" },
      { ...said({ text: "a recall" }), resourceId: "m2" },
      { ...said({ text: "a recall" }), resourceId: "m3" },
      { ...said({ author: "voice-000002", turnsAt: 9 }), resourceId: "m4" },
    ],
    { withTale: false },
  );
  expect(held).toEqual({
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
    alerts: ["recall-words Acme voice-000001", "somebody-is-unhappy Acme voice-000002"],
    told: ["#recalls voice-000001", "#unhappy voice-000002", "desk voice-000002"],
    may: [],
  });
});

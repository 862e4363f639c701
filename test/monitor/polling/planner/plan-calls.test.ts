import fc from "fast-check";
import { expect, test } from "vitest";
import { yieldingLoop } from "../../../../src/lib/concurrency.ts";
import { HOUR, MINUTE, SECOND } from "../../../../src/lib/instant.ts";
import { forecastPolls } from "../../../../src/monitor/polling/planner/forecast-polls.ts";
import {
  type Candidate,
  type PlanSettings,
  planCalls,
} from "../../../../src/monitor/polling/planner/plan-calls.ts";
import { runs } from "../../../runs.ts";

const NOW = Date.UTC(2026, 2, 2, 12);
const SHARED: PlanSettings = {
  ...{ sharing: true, mostIds: 200, pageSize: 5_000, roundMs: MINUTE },
  groups: new Map(),
};
const SINGLE: PlanSettings = { ...SHARED, sharing: false };

type Wish = Partial<Omit<Candidate, "key">> & { projectId?: string; poll?: "added" | "updated" };

function poll(queryId: string, { projectId = "p", poll = "added", ...wish }: Wish = {}): Candidate {
  const knownUntil = wish.knownUntil === undefined ? NOW - MINUTE : wish.knownUntil;
  return {
    key: { projectId, queryId, poll },
    importance: 1,
    rate: 1 / MINUTE,
    waitsSince: NOW - HOUR,
    readsFrom: (knownUntil ?? NOW - HOUR) - 5 * MINUTE,
    isDue: true,
    alone: false,
    isFailing: false,
    ...wish,
    knownUntil,
  };
}

function plan(candidates: readonly Candidate[], settings = SHARED, calls = 1, turn = 0) {
  return planCalls(candidates, settings, { calls, turn, now: NOW }).map(({ members }) =>
    members.map(({ queryId }) => queryId),
  );
}

test("the call goes where most delay has gathered: rate × importance × age²", () => {
  const busy = poll("busy", { rate: 10 / MINUTE });
  const severe = poll("severe", { rate: 2 / MINUTE, importance: 10 });
  const old = poll("old", { knownUntil: NOW - 6 * MINUTE });
  expect(plan([busy, severe, old], { ...SINGLE, roundMs: HOUR }, 3)).toEqual([["old"], ["severe"], ["busy"]]);
});

test("quiet queries of one project and one kind of poll share a call", () => {
  const calls = plan(
    [poll("1"), poll("2"), poll("3", { poll: "updated" }), poll("4", { projectId: "other" })],
    SHARED,
    9,
  );
  expect(calls.map((members) => members.sort().join())).toEqual(expect.arrayContaining(["1,2", "3", "4"]));
  expect(calls).toHaveLength(3);
});

test("a query that bursts gets its own call, and so does one that closes a gap", () => {
  const calls = plan(
    [poll("1"), poll("2"), poll("burst", { rate: 300 / MINUTE }), poll("gap", { alone: true })],
    SHARED,
    9,
  );
  expect(calls.map((members) => members.sort().join()).sort()).toEqual(["1,2", "burst", "gap"]);
});

test("one that is far behind does not make the busy ones be read again", () => {
  const busy = ["1", "2", "3"].map((id) => poll(id, { rate: 100 / MINUTE }));
  const behind = poll("behind", { readsFrom: NOW - 24 * HOUR });
  const calls = plan([...busy, behind], SHARED, 9);
  expect(calls.map((members) => members.sort().join()).sort()).toEqual(["1,2,3", "behind"]);
});

test("a query that is not due may share a call, and never has its own", () => {
  expect(plan([poll("1"), poll("2", { isDue: false })])).toEqual([["1", "2"]]);
  expect(plan([poll("2", { isDue: false })])).toEqual([]);
});

test("history gets every fourth call while there is live work, and all where there is none", () => {
  const live = Array.from({ length: 9 }, (_, i) => poll(`live ${i}`));
  const history = Array.from({ length: 9 }, (_, i) => poll(`history ${i}`, { knownUntil: null }));
  const calls = plan([...live, ...history], SINGLE, 8).flat();
  expect(calls.map((id) => id.slice(0, 4))).toEqual([
    "live",
    "live",
    "live",
    "hist",
    "live",
    "live",
    "live",
    "hist",
  ]);
  expect(plan(history, SINGLE, 3).flat()).toHaveLength(3);
});

const grouped = (...groups: (readonly string[])[]): PlanSettings => {
  const named = groups.map((queryIds, nth) => ({ groupId: `g${nth}`, queryIds, surplusRate: null }));
  return { ...SHARED, mostIds: 3, groups: new Map([["p", named]]) };
};
const TEN = Array.from({ length: 10 }, (_, i) => poll(String(i), { rate: (1 + i) / HOUR }));
const idsOf = (...numbers: readonly number[]) => numbers.map(String);

test("groups stand for their members where the queries themselves do not fit into the address", () => {
  const settings = grouped(idsOf(0, 1, 2, 3), idsOf(4, 5, 6, 7));
  const [call] = planCalls(TEN, settings, { calls: 1, turn: 0, now: NOW });
  expect(call?.groupIds).toEqual(["g1", "g0"]);
  expect(call?.members.map(({ queryId }) => queryId).sort()).toEqual(idsOf(0, 1, 2, 3, 4, 5, 6, 7, 9));
  // If all fit, nobody depends on a group that others may change.
  const [roomy] = planCalls(TEN, { ...settings, mostIds: 10 }, { calls: 1, turn: 0, now: NOW });
  expect(roomy).toMatchObject({ groupIds: [] });
  expect(roomy?.members).toHaveLength(10);
});

test("a group with many members that nobody polls is not named: their rows would fill the pages", () => {
  const strangers = Array.from({ length: 500 }, (_, i) => `stranger ${i}`);
  const busy = TEN.map((one) => ({ ...one, rate: 20 / MINUTE }));
  const [call] = planCalls(busy, grouped([...idsOf(0, 1, 2, 3), ...strangers]), {
    calls: 1,
    turn: 0,
    now: NOW,
  });
  expect(call?.groupIds).toEqual([]);
});

test("a member that is far behind is left for a later call, and its group is named without it", () => {
  const behind = TEN.map((one, i) => (i === 0 ? { ...one, readsFrom: NOW - 3_000 * HOUR } : one));
  const calls = planCalls(behind, grouped(idsOf(0, 1, 2, 3), idsOf(4, 5, 6, 7, 8, 9)), {
    ...{ calls: 9, turn: 0, now: NOW },
  });
  expect(calls.map(({ groupIds }) => groupIds.length)).toEqual([2, 0]);
  expect(calls[1]?.members).toEqual([behind[0]?.key]);
});

test("every poll is in one call at most, calls keep to their size, and nothing is planned twice", () => {
  const candidate = fc.record({
    projectId: fc.constantFrom("a", "b"),
    poll: fc.constantFrom("added" as const, "updated" as const),
    importance: fc.constantFrom(0.5, 1, 3, 10),
    rate: fc.double({ min: 1e-9, max: 1, noNaN: true }),
    knownUntil: fc.option(fc.integer({ min: NOW - 24 * HOUR, max: NOW })),
    isDue: fc.boolean(),
    alone: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(candidate, { maxLength: 300 }),
      fc.integer({ min: 0, max: 40 }),
      fc.boolean(),
      fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 320 }), { maxLength: 80 }), { maxLength: 5 }),
      fc.constantFrom(2, 200),
      (wishes, calls, sharing, members, mostIds) => {
        const candidates = wishes.map((wish, i) => poll(String(i), wish));
        const { groups } = grouped(...members.map((ids) => ids.map(String)));
        const settings = { ...SHARED, sharing, groups, mostIds };
        const planned = planCalls(candidates, settings, { calls, turn: 0, now: NOW });
        const ids = planned.flatMap(({ members }) => members.map(({ queryId }) => queryId));
        expect(planned.length).toBeLessThanOrEqual(calls);
        expect(new Set(ids).size).toBe(ids.length);
        for (const { members, groupIds } of planned) {
          const ofGroups = new Set(
            groups.get("p")?.flatMap((one) => (groupIds.includes(one.groupId) ? one.queryIds : [])),
          );
          const singles = members.filter(({ queryId }) => !ofGroups.has(queryId));
          expect(singles.length + groupIds.length).toBeLessThanOrEqual(mostIds);
          const own = members.map(({ queryId }) => candidates[Number(queryId)] as Candidate);
          expect(own.some(({ isDue }) => isDue)).toBe(true);
          expect(new Set(own.map(({ key }) => `${key.projectId} ${key.poll}`)).size).toBe(1);
          if (members.length > 1) expect(sharing && own.every(({ alone }) => !alone)).toBe(true);
        }
      },
    ),
    { numRuns: runs(50) },
  );
});

test("queries that always fail take a fourth of the calls at most", () => {
  const broken = Array.from({ length: 9 }, (_, i) =>
    poll(`bad ${i}`, { isFailing: true, alone: true, knownUntil: NOW - 24 * HOUR }),
  );
  const sound = Array.from({ length: 9 }, (_, i) => poll(`good ${i}`));
  const calls = plan([...broken, ...sound], SINGLE, 8).flat();
  expect(calls.filter((id) => id.startsWith("bad"))).toHaveLength(2);
});

test("no query starves: the quietest of very unequal queries is polled again and again, within a few rounds", () => {
  const spacing = 20 * SECOND;
  const settings = { ...SINGLE, roundMs: 30 * spacing };
  let state = Array.from({ length: 30 }, (_, i) =>
    poll(String(i), { rate: i === 29 ? 1e-12 : 10 / MINUTE, importance: i === 29 ? 0.5 : 10 }),
  );
  const polledAt: number[] = [];
  for (let turn = 0, at = NOW; turn < 1_500; turn++, at += spacing) {
    const [call] = planCalls(state, settings, { calls: 1, turn, now: at });
    const id = call?.members[0]?.queryId;
    if (id === "29") polledAt.push(at);
    state = state.map((one) => (one.key.queryId === id ? { ...one, knownUntil: at, readsFrom: at } : one));
  }
  const pauses = polledAt.map((at, index) => at - (polledAt[index - 1] ?? NOW - MINUTE));
  expect(Math.max(...pauses)).toBeLessThanOrEqual(4 * settings.roundMs);
  expect(polledAt.length).toBeGreaterThan(10);
});

test("the forecast plays the plan forward until everybody had a turn", async () => {
  const candidates = Array.from({ length: 5 }, (_, i) => poll(String(i), { knownUntil: NOW - i * MINUTE }));
  const play = { now: NOW, nextTurnAt: NOW + SECOND, spacingMs: 20 * SECOND, turn: 0 };
  const forecast = await yieldingLoop(forecastPolls(candidates, SINGLE, play));
  const next = new Map(forecast.map(({ key, nextPollAt }) => [key.queryId, (nextPollAt - NOW) / SECOND]));
  expect(next.get("4")).toBe(1);
  expect([...next.values()].sort((a, b) => a - b)[0]).toBe(1);
  expect(Math.max(...next.values())).toBeLessThanOrEqual(1 + 20 * 12);
  const shared = await yieldingLoop(forecastPolls(candidates, SHARED, play));
  expect(shared.map(({ nextPollAt }) => nextPollAt)).toEqual(candidates.map(() => NOW + SECOND));
});

test("changes get a fair share of the calls: never none, and never those that new mentions need", () => {
  const spacing = 22 * SECOND;
  const settings: PlanSettings = { ...SHARED, roundMs: 2 * spacing };
  const polls = Array.from({ length: 100 }, (_, nth) => ({
    queryId: `q${nth}`,
    rate: 1 / MINUTE / (1 + nth),
  }));
  let state = polls.flatMap(({ queryId, rate }) => [
    poll(queryId, { rate, importance: 3, knownUntil: NOW }),
    poll(queryId, { rate: rate * 2, importance: 0.3, poll: "updated", knownUntil: NOW }),
  ]);
  const calls = { added: 0, updated: 0 };
  for (let turn = 0; turn < 200; turn++) {
    const now = NOW + turn * spacing;
    const [call] = planCalls(state, settings, { calls: 1, turn, now });
    if (call === undefined) throw new Error("there is always something to ask for");
    calls[call.members[0]?.poll ?? "added"] += 1;
    const members = new Set(call.members.map(({ poll, queryId }) => `${poll} ${queryId}`));
    state = state.map((one) =>
      members.has(`${one.key.poll} ${one.key.queryId}`)
        ? { ...one, knownUntil: now, readsFrom: now - 5 * MINUTE }
        : one,
    );
  }
  expect(calls.updated).toBeGreaterThanOrEqual(200 * 0.1);
  expect(calls.updated).toBeLessThanOrEqual(200 * 0.35);
});

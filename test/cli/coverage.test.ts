import { expect, test } from "vitest";
import { formatCoverage } from "../../src/cli/coverage.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/instant.ts";
import { compareVersions, type RunningProcess } from "../../src/monitor/model/process.ts";
import type { ShownBudget, ShownPoll, ShownQuirk } from "../../src/monitor/model/shown.ts";
import { readCoverage } from "../../src/monitor/polling/read-coverage.ts";
import { createSpikeState, packSpikeState } from "../../src/monitor/rules/spike/spike-state.ts";
import { aProcess } from "../monitor/model/a-process.ts";
import { aRule } from "../monitor/rules/a-rule.ts";
import { oddQuery } from "../odd-world.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const BUDGET: ShownBudget = {
  account: "ann at https://api.example",
  limit: 30,
  periodMs: 10 * MINUTE,
  used: 12,
  usedByOthers: 2,
  closedForMs: 0,
  sharing: "proven",
};
const POLL: ShownPoll = {
  projectId: "p",
  projectName: "Brands",
  queryId: "1",
  queryName: "Acme",
  active: true,
  poll: "added",
  polledAt: NOON - MINUTE,
  nextPollAt: NOON + MINUTE,
  completeUntil: NOON - MINUTE,
  watchFrom: null,
  tickedUntil: NOON - 5 * MINUTE,
  failures: 0,
  lastError: null,
  polls: 9,
  seen: 90,
  stored: 30,
  rejected: 0,
  gap: 4,
  gapFrom: NOON - DAY,
  gapNoticedAt: NOON - MINUTE,
  gapNextAt: NOON + 20 * MINUTE,
};
const QUIRKS: readonly ShownQuirk[] = [
  { quirk: "clock", value: "behind", ms: 4 * MINUTE, firstAt: NOON, lastAt: NOON, account: BUDGET.account },
  { quirk: "cursors", value: "expire", ms: null, firstAt: NOON, lastAt: NOON, account: BUDGET.account },
];

const RULES = [aRule("when: { sentiment: negative }\nspike: { atLeast: 20 }")];
const QUERY = oddQuery();

async function report(
  budgets: readonly ShownBudget[],
  quirks = QUIRKS,
  known: readonly unknown[] = [],
  now = NOON,
  processes: readonly RunningProcess[] = [],
) {
  const facts = {
    processVersions: async () =>
      compareVersions(processes, { id: "r1", version: "0b5e0b5e0b", at: NOON - HOUR }),
    budgets: async () => [...budgets],
    coverage: async () => [POLL],
    quirks: async () => [...quirks],
    watchedStates: async (baselines: readonly string[]) => [
      {
        ...QUERY,
        tickedUntil: NOON - 5 * MINUTE,
        isWatched: true,
        valuesSince: {},
        states: known.map((state) => ({ condition: "an earlier form", baseline: baselines[0] ?? "", state })),
      },
    ],
  };
  return formatCoverage(await readCoverage(facts, RULES, now), "Europe/Berlin");
}

test("shows calls, polls, gaps with the time of the next attempt, and the quirks of the source", async () => {
  const text = await report([BUDGET]);
  expect(text).toContain(
    "Calls: 12 of 30 used in the last 10m, 2 of them by others with the same account; 18 left.",
  );
  expect(text).toMatch(
    /Acme +new +Mon 2 Mar, 12:59 CET +1m +2m +4 since Sun 1 Mar, 13:00 CET, again Mon 2 Mar, 13:20 CET +ok/,
  );
  expect(text.slice(text.indexOf("Learned"))).toBe(
    [
      "Learned about the source",
      "  Reading on, page after page: works for a while only: Earshot then asks for pages by number for an hour",
      "  The clock of the server: runs behind ours (4m)",
    ].join("\n"),
  );
});

test("of a monitor that does not run it is said that nothing polls", async () => {
  expect(await report([BUDGET])).not.toContain("Stopped");
  const text = await report([BUDGET], QUIRKS, [], NOON + 22 * HOUR);
  expect(text).toMatch(/^Stopped: no process has polled for 21h 59m\. Does earshot start run\?/);
  expect(text).toMatch(/Acme .* stopped/);
});

test("of several accounts each line says whose it is", async () => {
  const other = { ...BUDGET, account: "bob at https://api.example", limit: null };
  const text = await report([BUDGET, other]);
  expect(text).toContain("18 left. (ann at https://api.example)");
  expect(text).toContain("Calls: the account has no rate limit. (bob at https://api.example)");
  expect(text).toContain("runs behind ours (4m) (ann at https://api.example)");
});

test("rules that cannot fire yet are named with what they need, and not once they have learned", async () => {
  expect(await report([BUDGET])).toContain(
    "\nStill learning, so that they cannot fire yet\n  Acme: a-rule (spike of negative mentions) needs a first mention that it counts\n",
  );
  const since = (startAt: number) => [{ spike: packSpikeState(createSpikeState(startAt)) }];
  expect(await report([BUDGET], QUIRKS, since(NOON - 65 * MINUTE))).toContain(
    "needs 1 h more, until about Mon 2 Mar, 13:55 CET\n",
  );
  expect(await report([BUDGET], QUIRKS, since(NOON - DAY))).not.toContain("Still learning");
});

test("every process is listed with its version, and one that differs with the reason", async () => {
  const same = aProcess({ version: "0b5e0b5e0b", startedAt: NOON - DAY, since: NOON - HOUR });
  expect(await report([BUDGET], [], [], NOON, [same])).toContain(
    "Processes: 1, with version 0b5e0b5e0b of the configuration\n  web-1, process 12 (poll, tick): version 0b5e0b5e0b since Mon 2 Mar, 12:00 CET",
  );
  const refused = { at: NOON, faults: ["rules/a.yaml:1:1 no", "templates/b.hbs: no"], filesAre: null };
  const other = aProcess({ startedAt: NOON - DAY, since: NOON - DAY, refused });
  const text = await report([BUDGET], [], [], NOON, [same, other]);
  expect(text).toContain("Processes: 1 of 2 without version 0b5e0b5e0b");
  expect(text).toContain("\n    rules/a.yaml:1:1 no; templates/b.hbs: no");
});

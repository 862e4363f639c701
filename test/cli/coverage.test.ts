import { expect, test } from "vitest";
import { readCoverage } from "../../src/app/read-coverage.ts";
import { formatCoverage } from "../../src/cli/coverage.ts";
import { DAY, MINUTE } from "../../src/lib/instant.ts";
import type { ShownBudget, ShownTrait, ShownWalk } from "../../src/model/shown.ts";

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
const WALK: ShownWalk = {
  projectId: "p",
  projectName: "Brands",
  queryId: "1",
  queryName: "Acme",
  active: true,
  walk: "added",
  polledAt: NOON - MINUTE,
  nextPollAt: NOON + MINUTE,
  completeUntil: NOON - MINUTE,
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
const TRAITS: readonly ShownTrait[] = [
  { trait: "clock", value: "behind", ms: 4 * MINUTE, firstAt: NOON, lastAt: NOON, account: BUDGET.account },
  { trait: "cursors", value: "expire", ms: null, firstAt: NOON, lastAt: NOON, account: BUDGET.account },
];

async function told(budgets: readonly ShownBudget[], traits = TRAITS): Promise<string> {
  const facts = {
    budgets: async () => [...budgets],
    coverage: async () => [WALK],
    traits: async () => [...traits],
  };
  return formatCoverage(await readCoverage(facts, NOON), 200);
}

test("calls, walks, gaps with when they are looked for again, and what was learned of the source", async () => {
  const text = await told([BUDGET]);
  expect(text).toContain(
    "Calls: 12 of 30 used in the last 10m, 2 of them by others with the same account; 18 left.",
  );
  expect(text).toMatch(
    /Acme +new +2026-03-02 11:59:00 +1m +2m +4 since 2026-03-01 12:00, again 2026-03-02 12:20 +well/,
  );
  expect(text.slice(text.indexOf("Learned"))).toBe(
    [
      "Learned about the source",
      "  Cursors: are forgotten after a while: Earshot then asks for pages by number for an hour",
      "  The clock of the server: runs behind ours (4m)",
    ].join("\n"),
  );
});

test("of several accounts each line says whose it is", async () => {
  const other = { ...BUDGET, account: "bob at https://api.example", limit: null };
  const text = await told([BUDGET, other]);
  expect(text).toContain("18 left. (ann at https://api.example)");
  expect(text).toContain("Calls: the account has no rate limit. (bob at https://api.example)");
  expect(text).toContain("runs behind ours (4m) (ann at https://api.example)");
});

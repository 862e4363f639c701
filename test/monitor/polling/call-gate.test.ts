import { pino } from "pino";
import { expect, test } from "vitest";
import { createCallGate } from "../../../src/monitor/polling/call-gate.ts";
import { createBudgetStore } from "../../../src/monitor/store/budgets.ts";
import { useStores } from "../../use-stores.ts";

const { database } = await useStores();

test("a call that the source refused closes the gate for everybody, for as long as the source said", async () => {
  const budget = createBudgetStore(database.db, "monitor@acme.example");
  const gate = createCallGate({
    ...{ budget, priority: "shell", timeoutMs: 1_000, patienceMs: 0 },
    log: pino({ level: "silent" }),
  });
  const leave = await gate.enter("mentions");
  await leave({ status: 429, budget: null, retryAfterMs: 30_000 });
  await expect(gate.enter("mentions")).rejects.toMatchObject({ kind: "over-budget", retryable: true });
  expect((await budget.read()).closedForMs).toBeGreaterThan(20_000);
});

test("a call that got no answer keeps its place: the source may have counted it", async () => {
  const budget = createBudgetStore(database.db, "slow@acme.example");
  const gate = createCallGate({
    ...{ budget, priority: "shell", timeoutMs: 1_000, patienceMs: 0 },
    log: pino({ level: "silent" }),
  });
  await budget.learn({ limit: 1, periodMs: 60_000 }, "answer");
  const leave = await gate.enter("mentions");
  await leave({ status: null, budget: null, retryAfterMs: null });
  await expect(gate.enter("mentions")).rejects.toMatchObject({ kind: "over-budget" });
});

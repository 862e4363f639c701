import { expect, test } from "vitest";
import { HOUR } from "../../../../src/lib/instant.ts";
import type { Explanation } from "../../../../src/monitor/model/alert.ts";
import { explainAlert } from "../../../../src/monitor/notify/view/explain-alert.ts";
import { useStores } from "../../../use-stores.ts";
import { NO_EXPLANATION } from "../../alerts/no-explanation.ts";
import { alertOf, NOON } from "../../incidents/incident-of.ts";
import { aRule } from "../../rules/a-rule.ts";

const { stores } = await useStores();
const rule = aRule("volume: { atLeast: 3, within: 15m }");
/** What was found at its first end, two hours after noon. */
const AUTHORS = { count: 644, loudest: [] };
const stored: Explanation = {
  ...{ ...NO_EXPLANATION, authors: AUTHORS, isFinal: true },
  ...{ windowTo: NOON, span: { from: NOON - HOUR, to: NOON + 2 * HOUR } },
};

/** Who speaks in the alert, counted until so many hours after noon. */
async function authorsUntil(hours: number, resolvedAt: number | null): Promise<number | undefined> {
  const id = "01000000-0000-7000-8000-000000000002";
  const alert = alertOf({ id, resolvedAt, windowFrom: NOON - HOUR, windowTo: NOON });
  const made = await explainAlert(stores, alert, rule, {
    now: NOON + hours * HOUR,
    span: { from: NOON - HOUR, to: NOON + hours * HOUR },
    content: { version: 0, explanation: stored },
  });
  return made?.authors.count;
}

test("what was found at an end stands for that end, and for no later one", async () => {
  expect(await authorsUntil(2, NOON + 2 * HOUR)).toBe(644);
  // It was opened again, and people are told of it; nobody has said anything here.
  expect(await authorsUntil(20, null)).toBe(0);
  expect(await authorsUntil(20, NOON + 20 * HOUR)).toBe(0);
});

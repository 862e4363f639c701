import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import { EscalationConfig, escalationOf } from "../../../../src/monitor/notify/decide/escalation.ts";
import { alertOf } from "../alert-of.ts";

const escalation = (given: Record<string, unknown> = {}) =>
  EscalationConfig.safeParse({
    name: "x",
    steps: [
      { after: "0s", receivers: ["lead"] },
      { after: "10m", receivers: ["boss"] },
    ],
    ...given,
  });

test("the steps of an escalation come one after the other, and rounds take time", () => {
  const fault = (given: Record<string, unknown>) =>
    escalation(given).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  const steps = (...after: string[]) => after.map((one) => ({ after: one, receivers: ["lead"] }));
  const late = "a step has to come later than the one before it; times count from the start";
  expect(fault({ steps: steps("1m", "1m", "2m") })).toEqual([`steps.1.after: ${late}`]);
  expect(fault({ steps: steps("1m", "2m", "90s") })).toEqual([`steps.2.after: ${late}`]);
  expect(fault({ rounds: 2, roundEvery: "0s" })).toEqual(["roundEvery: has to be longer than 0"]);
  expect(fault({ rounds: 1, roundEvery: "0s" })).toBe(undefined);
  expect(fault({ rounds: 2, roundEvery: "1s" })).toBe(undefined);
});

test("the steps of each round are named; those of a single one are only counted", () => {
  const by = (rounds: number) => {
    const escalations = [escalation({ roundEvery: "20m", rounds }).data].filter((one) => one !== undefined);
    return [...escalationOf({ escalations, rotations: [] }, alertOf(), 0, HOUR).values()].map(
      (one) => one.by,
    );
  };
  expect(by(1)).toEqual(["escalation x, step 1", "escalation x, step 2"]);
  expect(by(2)).toEqual(["escalation x, step 1 of round 2", "escalation x, step 2 of round 2"]);
});

test("a step is reached at its very moment, and a moment before it is the next one", () => {
  const escalations = [escalation().data].filter((one) => one !== undefined);
  const bossAt = (now: number) => escalationOf({ escalations, rotations: [] }, alertOf(), 0, now).get("boss");
  expect(bossAt(10 * MINUTE)).toMatchObject({ reachedAt: 10 * MINUTE });
  expect(bossAt(10 * MINUTE - 1)).toMatchObject({ reachedAt: null, nextAt: 10 * MINUTE });
});

test("the first escalation that matches is the one", () => {
  const second = EscalationConfig.parse({ name: "second", steps: [{ after: "0s", receivers: ["boss"] }] });
  const first = { ...second, name: "first" };
  const [reached] = escalationOf(
    { escalations: [first, second], rotations: [] },
    alertOf(),
    0,
    HOUR,
  ).values();
  expect(reached?.by).toBe("escalation first, step 1");
});

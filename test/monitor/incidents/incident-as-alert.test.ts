import { expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { incidentAsAlert } from "../../../src/monitor/incidents/incident-as-alert.ts";
import { alertOf, incidentOf, NOON } from "./incident-of.ts";

const count = (at: number, of: number) => ({
  ...{ at, count: of, windowMs: HOUR, subject: "negative mentions" },
});
const progress = {
  ...{ first: count(NOON, 20), renotified: count(NOON + HOUR, 60) },
  ...{ peak: count(NOON + HOUR, 60), now: count(NOON + 2 * HOUR, 12) },
};

test("an incident says what is now only while the alert that describes it is counted", () => {
  const open = incidentAsAlert(incidentOf(), [alertOf({ progress })]);
  expect(open?.progress).toEqual(progress);
  const over = alertOf({ progress, state: "resolved", resolvedAt: NOON + 2 * HOUR });
  const { first, peak } = progress;
  expect(incidentAsAlert(incidentOf(), [over])?.progress).toEqual({ first, peak });
});

import { expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { faceOf, incidentAsAlert } from "../../../src/monitor/incidents/incident-as-alert.ts";
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

test("it stands for its leader, in the words of its most severe alert, with its own severity and times", () => {
  const leader = alertOf({ severity: "warning", firedAt: NOON + 1, because: "the first", notifyCount: 9 });
  const severe = alertOf({
    id: "severe",
    fingerprint: "severe",
    because: "the worst",
    windowTo: NOON + HOUR,
  });
  const incident = incidentOf({ lastSeenAt: NOON + HOUR, notifyCount: 3, renotifyReason: "NewWave" });
  expect(incidentAsAlert(incident, [severe, leader])).toStrictEqual({
    ...severe,
    ...{ id: "leader", fingerprint: "leader", severity: "critical", state: "firing" },
    ...{ openedAt: NOON, firedAt: NOON + 1, lastSeenAt: NOON + HOUR, resolvedAt: null },
    ...{ notifyCount: 3, renotifyReason: "NewWave", handling: incident.handling },
  });
  expect(incidentAsAlert(incident, [alertOf({ firedAt: null }), severe])?.firedAt).toBe(incident.openedAt);
  expect(incidentAsAlert(incident, [severe])).toBeNull();
  expect(incidentAsAlert(incident, [alertOf({ firedAt: null })])).toBeNull();
});

test("one that is watched or taken asks nobody, and one that is over is resolved", () => {
  const stateOf = (status: "open" | "handled" | "watching" | "over") =>
    incidentAsAlert(incidentOf({ status, endedAt: status === "over" ? NOON + HOUR : null }), [alertOf()]);
  expect((["open", "handled", "watching"] as const).map((status) => stateOf(status)?.state)).toEqual([
    ...["firing", "acknowledged", "acknowledged"],
  ]);
  expect(stateOf("over")).toMatchObject({ state: "resolved", resolvedAt: NOON + HOUR });
});

test("it is described by the most severe of those that fired, the leader before others, the oldest of these", () => {
  const one = (id: string, changes: Parameters<typeof alertOf>[0] = {}) =>
    alertOf({ id, openedAt: NOON + HOUR, severity: "warning", ...changes });
  const face = (...members: readonly ReturnType<typeof alertOf>[]) => faceOf(incidentOf(), members)?.id;
  expect(face(one("b"), one("leader"), one("c", { openedAt: NOON }))).toBe("leader");
  expect(face(one("leader"), one("b", { severity: "critical" }))).toBe("b");
  expect(face(one("leader"), one("b", { severity: "critical", firedAt: null }))).toBe("leader");
  expect(face(one("b"), one("c", { openedAt: NOON }), one("d"))).toBe("c");
  expect(face()).toBeUndefined();
});

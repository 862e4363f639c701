import { expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import {
  isNews,
  joinEvents,
  joinedBy,
  openedBy,
  reopened,
  withNewFact,
} from "../../../src/monitor/incidents/membership.ts";
import { alertOf, incidentOf, NOON } from "./incident-of.ts";

const LATER = NOON + HOUR;
const second = alertOf({ id: "second" });

test("each step of an incident is a line of its timeline, with the alert that it is about", () => {
  const incident = incidentOf({ handling: { acknowledgedBy: "ann" } });
  const line = { incidentId: incident.id, at: LATER };
  expect(openedBy(alertOf({ firedAt: LATER }), incident)).toEqual({
    incident,
    entries: [{ ...line, kind: "Opened", detail: "40 negative mentions in 30 min", alertId: "leader" }],
  });
  expect(joinedBy(incident, second, LATER, "SharesWords")).toEqual({
    incident: { ...incident, alerts: 3 },
    entries: [{ ...line, kind: "Joined", detail: "SharesWords", alertId: "second" }],
  });
  const over = incidentOf({ status: "over", calmSince: NOON, endedAt: NOON, handling: { closedBy: "ann" } });
  expect(reopened(over, LATER)).toEqual({
    incident: {
      ...over,
      ...{
        status: "open",
        calmSince: null,
        endedAt: null,
        uncalmUntil: LATER,
        handling: { callingSince: LATER },
      },
    },
    entries: [{ ...line, kind: "Reopened", detail: "" }],
  });
  const fact = withNewFact(incident, second, "A newspaper writes", LATER, 7);
  expect(fact.incident).toMatchObject({
    ...{ notifyCount: 2, renotifyReason: "NewFact", factAt: LATER, notified: { at: LATER, count: 7 } },
  });
  expect(fact.entries).toEqual([
    { ...line, kind: "NewFact", detail: "A newspaper writes", alertId: "second" },
  ]);
});

test("the history of an alert says whose message shows it, but not that of the alert that began it", () => {
  const incidents = new Map([["i", incidentOf({ id: "i" })]]);
  const alerts = new Map([["leader", alertOf()]]);
  const joined = ["second", "leader"].map((alertId) => ({
    ...{ projectId: "1", alertId, incidentId: "i", joinedAt: LATER, because: "it shares words" },
  }));
  expect(joinEvents(joined, incidents, alerts)).toEqual([
    {
      ...{ alertId: "second", at: LATER, what: "JoinedIncident" },
      detail: "it shares words; the message about Acme, crisis-spike shows it",
    },
  ]);
  expect(joinEvents(joined, incidents, new Map())).toEqual([]);
});

test("up to when it was checked, and its largest hour, are no news", () => {
  const incident = incidentOf();
  expect(isNews(incident, undefined)).toBe(true);
  expect(isNews({ ...incident, checkedUntil: LATER, peak: { negative: 99, total: 99 } }, incident)).toBe(
    false,
  );
  expect(isNews({ ...incident, notifyCount: 2 }, incident)).toBe(true);
});

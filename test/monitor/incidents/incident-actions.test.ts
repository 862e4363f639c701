import { expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import { joinCause, merge, split, withAction } from "../../../src/monitor/incidents/incident-actions.ts";
import type { Incident } from "../../../src/monitor/model/incident.ts";
import { alertOf, incidentOf, NOON } from "./incident-of.ts";

const NOW = NOON + 3 * HOUR;
const INTO = incidentOf();
const FROM = incidentOf({ id: "from", leaderId: "of from" });

test("whoever takes an incident handles it, and one that is watched stays watched", () => {
  const acknowledged = alertOf({ handling: { acknowledgedBy: "ann" } });
  const { incident, entries } = withAction(INTO, acknowledged, "acknowledged by ann", NOW);
  expect(incident).toEqual({ ...INTO, status: "handled", handling: { acknowledgedBy: "ann" } });
  expect(entries).toEqual([{ incidentId: INTO.id, at: NOW, kind: "Handled", detail: "acknowledged by ann" }]);
  const watched = incidentOf({ status: "watching", calmSince: NOON });
  expect(withAction(watched, acknowledged, "", NOW).incident.status).toBe("watching");
  // What nobody has taken stays open, and what the alert does not say stays as it was.
  expect(withAction(INTO, alertOf({ handling: { relevant: false } }), "", NOW).incident.status).toBe("open");
  expect(withAction(INTO, alertOf(), "", NOW).incident.handling).toBe(INTO.handling);
});

test("whoever resolves it ends it, once", () => {
  const resolved = alertOf({ resolvedAt: NOW, handling: { closedBy: "ann" } });
  const { incident, entries } = withAction(INTO, resolved, "resolved by ann", NOW);
  expect(incident).toMatchObject({
    status: "over",
    calmSince: NOW,
    endedAt: NOW,
    handling: { closedBy: "ann" },
  });
  expect(entries.map(({ kind }) => kind)).toEqual(["Over"]);
  const watched = incidentOf({ status: "watching", calmSince: NOON + HOUR });
  expect(withAction(watched, resolved, "", NOW).incident).toMatchObject({
    calmSince: NOON + HOUR,
    endedAt: NOW,
  });
  const over = incidentOf({ status: "over", calmSince: NOON, endedAt: NOON + HOUR });
  const again = withAction(over, resolved, "not relevant, by ann", NOW);
  expect([again.incident.endedAt, again.entries[0]?.kind]).toEqual([NOON + HOUR, "Handled"]);
});

const mergedOf = (into: Incident, from: Incident, members = [alertOf(), alertOf({ id: "second" })]) => {
  const result = merge(into, { incident: from, parts: [] }, members, "ann", NOW);
  if (result.outcome === "Refused") throw new Error(result.because);
  return { into: result.into.incident, from: result.from.incident, result };
};

test("an incident that takes the alerts of another is as old, as severe and as lately seen as either", () => {
  const usual = Array.from({ length: 24 }, () => ({ negative: 9, total: 9 }));
  const from = {
    ...FROM,
    openedAt: NOON - HOUR,
    countedFrom: NOON - 2 * HOUR,
    lastSeenAt: NOON + HOUR,
    usual,
  };
  const members = [alertOf({ notifyCount: 3 }), alertOf({ id: "second" }), alertOf({ id: "third" })];
  const { into, from: ended, result } = mergedOf(incidentOf({ severity: "warning" }), from, members);
  expect(into).toMatchObject({
    ...{ id: INTO.id, severity: "critical", openedAt: NOON - HOUR, countedFrom: NOON - 2 * HOUR },
    ...{ lastSeenAt: NOON + HOUR, alerts: 3, waves: 2, usual, status: "open", calmSince: null },
  });
  expect(ended).toMatchObject({ id: "from", status: "over", endedAt: NOW, alerts: 0 });
  expect(result.into.entries).toEqual([
    { incidentId: INTO.id, at: NOW, kind: "Merged", detail: "2 alerts of another incident, by ann" },
  ]);
  expect(result.from.entries).toEqual([
    { incidentId: "from", at: NOW, kind: "Merged", detail: "into another incident, by ann" },
  ]);
  const other = mergedOf(INTO, { ...FROM, alerts: 1, severity: "warning", openedAt: NOON, usual });
  expect(other.into).toMatchObject({ severity: "critical", usual: INTO.usual, lastSeenAt: NOON });
  expect(other.result.into.entries[0]?.detail).toBe("an alert of another incident, by ann");
});

test("a watched incident that takes the alerts of an open one is open again; one that was over keeps its end", () => {
  const watched = incidentOf({ status: "watching", calmSince: NOON });
  const taken = { ...watched, handling: { assignee: "bo" } };
  expect(mergedOf(watched, FROM).into).toMatchObject({ status: "open", calmSince: null });
  expect(mergedOf(taken, FROM).into).toMatchObject({ status: "handled", calmSince: null });
  const calm = { ...FROM, status: "watching", calmSince: NOON } as const;
  expect(mergedOf(watched, calm).into).toMatchObject({ status: "watching", calmSince: NOON });
  expect(mergedOf(INTO, calm).into).toMatchObject({ status: "open", calmSince: null });
  const over = { ...calm, status: "over", endedAt: NOON + HOUR } as const;
  expect(mergedOf(INTO, over).from.endedAt).toBe(NOON + HOUR);
});

test("a merge that would hide something is refused, and says why", () => {
  const refused = (into: Incident, incident: Incident, parts: readonly Incident[] = []) => {
    const result = merge(into, { incident, parts }, [], "ann", NOW);
    return result.outcome === "Refused" ? result.because : result.outcome;
  };
  expect([
    refused(INTO, INTO),
    refused(INTO, { ...FROM, projectId: "2" }),
    refused(INTO, { ...FROM, queryId: "8" }),
    refused({ ...INTO, status: "over" }, FROM),
    refused(INTO, FROM, [INTO]),
  ]).toEqual([
    "an incident cannot be merged with itself",
    "they are of different queries",
    "they are of different queries",
    "the incident that should take the alerts is over",
    "it speaks for other incidents: split those first",
  ]);
});

test("why an incident does not join another as its part", () => {
  const refused = (into: Incident, incident: Incident, parts: readonly Incident[] = []) => {
    const result = joinCause(into, { incident, parts }, "ann", NOW);
    return result.outcome === "Refused" ? result.because : result.outcome;
  };
  const part = { ...FROM, partOf: "another" };
  expect([
    refused(INTO, { ...FROM, projectId: "2" }),
    refused({ ...INTO, status: "over" }, FROM),
    refused(INTO, { ...FROM, status: "over" }),
    refused(part, FROM),
    refused(INTO, part),
    refused(INTO, FROM, [part]),
  ]).toEqual([
    "they are of different projects",
    "one of them is over",
    "one of them is over",
    "the incident that should take it is part of another one",
    "it is part of another incident: split it first",
    "it speaks for other incidents: split those first",
  ]);
  const joined = joinCause(INTO, { incident: FROM, parts: [] }, "ann", NOW);
  expect(joined).toMatchObject({
    part: { entries: [{ kind: "Merged", at: NOW, detail: "into the incident of Acme, by ann" }] },
  });
});

test("an alert leaves its incident, but for the one that began it", () => {
  const leader = split(INTO, alertOf(), [], "ann", NOW);
  expect(leader).toEqual({
    ...{ outcome: "Refused", because: "it began the incident: split the other alerts from it" },
  });
  const left = split(
    INTO,
    alertOf({ id: "second", rule: "mood" }),
    [alertOf({ notifyCount: 4 })],
    "ann",
    NOW,
  );
  expect(left).toMatchObject({
    rest: {
      incident: { alerts: 1, waves: 3 },
      entries: [{ incidentId: INTO.id, at: NOW, kind: "Split", detail: "mood, by ann", alertId: "second" }],
    },
  });
});

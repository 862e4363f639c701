import { expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { asOne, asPartOf, decideCause, queryNamesOf } from "../../../src/monitor/incidents/cause.ts";
import { joinCause, leaveCause } from "../../../src/monitor/incidents/incident-actions.ts";
import type { Incident } from "../../../src/monitor/model/incident.ts";
import type { StoryMention } from "../../../src/monitor/model/mention.ts";
import { aMention } from "../../mention.ts";
import { incidentOf, NOON } from "./incident-of.ts";

const ACME = incidentOf();
const BRELL = incidentOf({ id: "brell", leaderId: "of brell", queryId: "8", queryName: "Brell", alerts: 1 });

function tell(count: number, story: string): StoryMention[] {
  return Array.from({ length: count }, (_, index) => ({
    mention: aMention({ resourceId: `${story} ${index}` }),
    story,
  }));
}

function decide(mentions: readonly StoryMention[], incident: Incident = ACME, group = "") {
  const stories = (name: string) => (name === "leak" ? 20 : 0);
  return decideCause({ group, at: NOON + HOUR, mentions }, [{ incident, stories }]);
}

test("an incident that tells the stories of an open one of another query has its cause", () => {
  expect(decide([...tell(3, "leak"), ...tell(27, "own")])).toEqual({ outcome: "PartOf", incident: ACME });
  expect(decide([...tell(3, "leak"), ...tell(28, "own")])).toEqual({
    outcome: "Own",
    because: "NothingShared",
  });
});

test("of several it is the last, and one whose stories are told nowhere else is its own", () => {
  const others = ["first", "second", "third"].map((id) => ({
    incident: incidentOf({ id }),
    stories: (name: string) => (name === "leak" && id !== "third" ? 1 : 0),
  }));
  const decided = decideCause({ group: "", at: NOON + HOUR, mentions: tell(4, "leak") }, others);
  expect(decided).toMatchObject({ outcome: "PartOf", incident: { id: "second" } });
});

test("two shared mentions may be chance, however few there are", () => {
  expect(decide(tell(2, "leak"))).toEqual({ outcome: "Own", because: "NothingShared" });
});

test("another `incident:` name, and an incident of the day before yesterday, are no cause", () => {
  const none = { outcome: "Own", because: "NoOther" };
  expect(decide(tell(9, "leak"), ACME, "recall")).toEqual(none);
  const old = incidentOf({ checkedUntil: NOON - 2 * DAY, lastSeenAt: NOON - 2 * DAY });
  expect(decide(tell(9, "leak"), old)).toEqual(none);
  expect(decideCause({ group: "", at: NOON, mentions: tell(9, "leak") }, [])).toEqual(none);
});

test("together they are as severe as the most severe, and people hear that a part began", () => {
  const acme = incidentOf({ severity: "warning" });
  const part: Incident = { ...BRELL, partOf: acme.id, openedAt: NOON + HOUR };
  expect(asOne({ incident: acme, parts: [part] })).toMatchObject({
    ...{ id: acme.id, severity: "critical", status: "open", alerts: 3 },
    ...{ notifyCount: 2, renotifyReason: "NewFact" },
  });
  expect(asOne({ incident: acme, parts: [] })).toBe(acme);
});

test("together they are seen as late as the latest, and said anew only since people were last notified", () => {
  const parts = [
    { ...BRELL, openedAt: NOON - 2 * HOUR, lastSeenAt: NOON + HOUR, uncalmUntil: NOON - HOUR },
    { ...BRELL, openedAt: NOON - HOUR, severity: "warning", lastSeenAt: NOON, uncalmUntil: NOON + 2 * HOUR },
  ] as const;
  const acme = incidentOf({ severity: "info", renotifyReason: "Doubled", notifyCount: 2 });
  expect(asOne({ incident: acme, parts })).toMatchObject({
    ...{ severity: "critical", lastSeenAt: NOON + HOUR, uncalmUntil: NOON + 2 * HOUR, calmSince: null },
    ...{ notifyCount: 4, renotifyReason: "Doubled" },
  });
  const just = { ...BRELL, openedAt: acme.notified.at };
  expect(asOne({ incident: acme, parts: [just] }).renotifyReason).toBe("Doubled");
  const after = { ...BRELL, openedAt: acme.notified.at + 1 };
  expect(asOne({ incident: acme, parts: [parts[0], after] }).renotifyReason).toBe("NewFact");
});

test("the incident that began says whose part it is, and the other that there is more to it", () => {
  const { incident, entries, because } = asPartOf(ACME, { ...BRELL, checkedUntil: NOON + HOUR });
  expect(incident).toMatchObject({ id: "brell", partOf: ACME.id });
  expect(because).toBe("it shares stories with the incident of Acme, whose message shows it");
  expect(entries).toEqual([
    { incidentId: "brell", at: NOON + HOUR, kind: "Joined", detail: because },
    { incidentId: ACME.id, at: NOON + HOUR, kind: "NewFact", detail: "Brell, too: it shares stories" },
  ]);
  expect(queryNamesOf({ incident: ACME, parts: [BRELL] })).toBe("Acme, Brell");
});

test("together they are calm and over when all are", () => {
  const calm = { status: "watching", calmSince: NOON + HOUR } as const;
  const over = { status: "over", calmSince: NOON + HOUR, endedAt: NOON + DAY } as const;
  const of = (one: Partial<Incident>, other: Partial<Incident>) =>
    asOne({ incident: { ...ACME, ...one }, parts: [{ ...BRELL, ...other }] });
  expect(of(over, {})).toMatchObject({ status: "open", calmSince: null, endedAt: null });
  expect(of(over, calm)).toMatchObject({ status: "watching", calmSince: NOON + HOUR, endedAt: null });
  expect(of(calm, { ...calm, calmSince: NOON + 2 * HOUR }).calmSince).toBe(NOON + 2 * HOUR);
  expect(of({ handling: { acknowledgedBy: "ann" } }, {})).toMatchObject({ status: "handled" });
  expect(of(over, { ...over, endedAt: NOON + 2 * DAY })).toMatchObject({
    ...{ status: "over", endedAt: NOON + 2 * DAY },
  });
});

test("people can join two incidents of different queries, and part them again", () => {
  const joined = joinCause(ACME, { incident: BRELL, parts: [] }, "ann", NOON);
  if (joined.outcome === "Refused") throw new Error(joined.because);
  expect(joined.part.incident.partOf).toBe(ACME.id);
  expect(joined.into.entries[0]).toMatchObject({
    kind: "Merged",
    detail: "Brell, too, by ann",
    alertId: BRELL.leaderId,
  });
  // It began before people were last notified, and that it is a part now is what is new.
  const early = { ...joined.part.incident, openedAt: ACME.notified.at - HOUR };
  expect(asOne({ incident: joined.into.incident, parts: [early] }).renotifyReason).toBe("NewFact");
  const left = leaveCause(joined.part.incident, ACME, "ann", NOON);
  expect(left.incident).toEqual(BRELL);
  expect(left.entries[0]).toMatchObject({ kind: "Split", detail: "from the incident of Acme, by ann" });
  // Receivers know this count: the next wave has to be more.
  const known = asOne({ incident: ACME, parts: [joined.part.incident] }).notifyCount;
  expect(asOne({ incident: left.whole, parts: [] }).notifyCount).toBe(known);
});

test("no chain of causes is made", () => {
  const part: Incident = { ...BRELL, partOf: "another" };
  const refused = (into: Incident, incident: Incident, parts: readonly Incident[] = []) =>
    expect(joinCause(into, { incident, parts }, "ann", NOON)).toMatchObject({ outcome: "Refused" });
  refused(part, ACME);
  refused(ACME, part);
  refused(ACME, BRELL, [part]);
  refused({ ...ACME, status: "over" }, BRELL);
  refused(ACME, { ...BRELL, projectId: "2" });
});

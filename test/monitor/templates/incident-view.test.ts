import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { newsOf, summarizeIncident } from "../../../src/monitor/templates/incident-view.ts";
import { incidentOf } from "../incidents/incident-of.ts";

const FROM = Date.parse("2026-11-23T10:35:00Z");

test("the sentence of an incident says what is now while it goes on and has had a larger hour", () => {
  const counts = {
    ...{ negative: 635, total: 753, from: FROM, to: FROM + 85 * MINUTE },
    most: { count: 550, until: FROM + 65 * MINUTE },
    lastHour: { negative: 280, total: 330 },
  };
  const said = (incident: Parameters<typeof incidentOf>[0], more: Partial<typeof counts> = {}) =>
    summarizeIncident({ incident: incidentOf(incident), counts: { ...counts, ...more } }, "UTC");
  const whole =
    "635 negative mentions of 753 in all from Mon 23 Nov, 10:35 UTC to 12:00; the most in one hour: 550, until 11:40";
  expect(said({ measure: "negative" })).toBe(`${whole}; in the last hour: 280`);
  expect(said({ measure: "negative", calmSince: FROM + HOUR })).toBe(whole);
  expect(said({ measure: "negative", status: "over" })).toBe(whole);
  const until = counts.to;
  expect(said({ measure: "negative" }, { most: { count: 550, until } })).toContain("550, until 12:00");
  expect(said({ measure: "negative" }, { most: { count: 550, until } })).not.toContain("in the last hour");
});

test("news of an incident's first hour counts from its beginning, as the sentence below them does", () => {
  const incident = incidentOf({ measure: "negative", severity: "critical" });
  const said = (minutes: number) =>
    newsOf(
      {
        ...{ incident, entries: [], joined: [] },
        counts: {
          ...{ negative: 42, total: 60, from: FROM, to: FROM + minutes * MINUTE, most: null },
          lastHour: { negative: 57, total: 80 },
        },
      } as unknown as Parameters<typeof newsOf>[0],
      "escalated",
      "UTC",
    );
  expect(said(10)).toEqual({
    label: "Now CRITICAL",
    text: "42 negative mentions from Mon 23 Nov, 10:35 UTC to 10:45",
  });
  expect(said(60)?.text).toBe("57 negative mentions in the last hour");
});

test("what people have joined is new, and not what was new before", () => {
  const entry = (kind: string, detail: string) => ({ incidentId: "i", at: FROM, kind, detail });
  const said = (...entries: readonly object[]) =>
    newsOf(
      { incident: incidentOf(), entries, joined: [] } as unknown as Parameters<typeof newsOf>[0],
      "fact",
      "UTC",
    );
  const found = entry("NewFact", "Brell, too: it shares stories");
  expect(said(found)).toEqual({ label: "New: Brell, too", text: "it shares stories" });
  expect(said(found, { ...entry("Merged", "Cree, too, by ann"), alertId: "of cree" })).toEqual({
    ...{ label: "New: Cree, too", text: "by ann" },
  });
  expect(said(found, entry("Merged", "3 alerts of another incident, by ann"))?.label).toBe("New: Brell, too");
});

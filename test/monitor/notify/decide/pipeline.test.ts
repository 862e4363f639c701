import fc from "fast-check";
import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import type { Severity } from "../../../../src/monitor/model/severity.ts";
import type { Candidate, ReceiverTerms, Terms } from "../../../../src/monitor/notify/decide/batch.ts";
import { decideAll, runPipeline } from "../../../../src/monitor/notify/decide/decision.ts";
import { Throttle } from "../../../../src/monitor/notify/decide/throttle.ts";
import { alertOf } from "../alert-of.ts";

const TERMS: Terms = {
  routed: true,
  repeatEveryMs: HOUR,
  sendResolved: true,
  forgetAfterMs: 24 * HOUR,
  group: null,
  escalation: null,
};
const THREE_AN_HOUR = Throttle.parse({ atMost: 3, per: "1h" });
const NOW = 10 * HOUR;

const receiverOf = (recent: number[]): ReceiverTerms => ({
  name: "team",
  quietHours: [],
  throttle: THREE_AN_HOUR,
  recent,
});
const candidateOf = (id: string, severity: Severity = "warning", openedAt = 0): Candidate => ({
  alert: alertOf({ id, severity, openedAt, firedAt: openedAt }),
  lastNotified: null,
  terms: TERMS,
});
const decisionsOf = (candidates: Candidate[], recent: number[]) =>
  decideAll(candidates, receiverOf(recent), NOW).map(({ candidate, decision }) => [
    candidate.alert.id,
    decision.do,
    decision.reason,
    decision.do === "hold" ? decision.nextAt : null,
  ]);

test("the last free slot takes all that is left in one message, the most severe and oldest first", () => {
  const candidates = [
    candidateOf("a", "info", 1),
    candidateOf("b", "warning", 3),
    candidateOf("c", "warning", 2),
  ];
  expect(decisionsOf(candidates, [NOW - 10 * MINUTE, NOW - 50 * MINUTE])).toEqual([
    ["c", "send", "FirstNotification", null],
    ["b", "send", "FirstNotification", null],
    ["a", "send", "FirstNotification", null],
  ]);
  const [leader, ...others] = runPipeline(candidates, receiverOf([NOW - 1, NOW - 2]), NOW).send;
  expect(others).toEqual([]);
  expect(leader?.also?.map(({ candidate }) => candidate.alert.id)).toEqual(["b", "a"]);
});

test("without a free slot, all wait for the next one together", () => {
  const candidates = [
    candidateOf("a", "info", 1),
    candidateOf("b", "warning", 3),
    candidateOf("c", "warning", 2),
  ];
  const recent = [NOW - 10 * MINUTE, NOW - 50 * MINUTE, NOW - 20 * MINUTE];
  expect(decisionsOf(candidates, recent)).toEqual(
    ["c", "b", "a"].map((id) => [id, "hold", "HeldByThrottle", NOW + 10 * MINUTE]),
  );
});

test("a slot is free again after the period", () => {
  expect(decisionsOf([candidateOf("a")], [NOW - 1 * HOUR, NOW - 1, NOW - 2])[0]).toContain("send");
  expect(decisionsOf([candidateOf("a")], [NOW - HOUR + 1, NOW - 1, NOW - 2])[0]).toContain(NOW + 1);
});

test("critical alerts do not wait", () => {
  const recent = [NOW - 1, NOW - 2, NOW - 3];
  expect(decisionsOf([candidateOf("a", "critical"), candidateOf("b")], recent)).toEqual([
    ["a", "send", "FirstNotification", null],
    // The critical one took a slot, too, so the next is free when the second of the others leaves the period.
    ["b", "hold", "HeldByThrottle", NOW - 2 + HOUR],
  ]);
});

test("an alert without news takes no slot", () => {
  const known = {
    ...candidateOf("a"),
    lastNotified: { at: NOW, severity: "warning", lastSeenAt: 0, notifyCount: 1, ended: false } as const,
  };
  expect(decisionsOf([known, candidateOf("b")], [NOW - 1, NOW - 2])).toEqual([
    ["b", "send", "FirstNotification", null],
    ["a", "drop", "NothingNew", null],
  ]);
});

test("every candidate comes out exactly once, and a held or dropped one names a cause", () => {
  const severities = fc.constantFrom<Severity>("info", "warning", "critical");
  fc.assert(
    fc.property(
      fc.array(fc.tuple(severities, fc.nat(100), fc.boolean()), { maxLength: 20 }),
      fc.array(fc.integer({ min: NOW - 2 * HOUR, max: NOW }), { maxLength: 6 }),
      (given, recent) => {
        const candidates = given.map(([severity, openedAt, over], index) => {
          const candidate = candidateOf(String(index), severity, openedAt);
          return over ? { ...candidate, alert: { ...candidate.alert, resolvedAt: NOW - 1 } } : candidate;
        });
        const { send, held, dropped } = runPipeline(candidates, receiverOf(recent), NOW);
        const sent = send.flatMap((outgoing) => [outgoing, ...(outgoing.also ?? [])]);
        const out = [...sent, ...held, ...dropped].map(({ candidate }) => candidate.alert.id);
        expect(out.toSorted()).toEqual(candidates.map(({ alert }) => alert.id).toSorted());
        for (const { by, until } of held) {
          expect(by).not.toBe("");
          expect(until).toBeGreaterThan(NOW);
        }
        for (const { by } of dropped) expect(by).not.toBe("");
        const mild = send.filter(({ candidate }) => candidate.alert.severity !== "critical").length;
        expect(mild).toBeLessThanOrEqual(3);
      },
    ),
  );
});

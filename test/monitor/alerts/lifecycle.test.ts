import fc from "fast-check";
import { expect, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import type {
  AlertLife,
  Evidence,
  LifeChange,
  LifeRule,
  Observation,
} from "../../../src/monitor/alerts/alert-life.ts";
import { observe } from "../../../src/monitor/alerts/lifecycle.ts";
import type { Severity } from "../../../src/monitor/model/severity.ts";
import { runs } from "../../runs.ts";
import { observeAll } from "./observe-all.ts";

const RULE: LifeRule = { severity: "warning", forMs: 0, overAfterMs: 30 * MINUTE };

const evidence = (minute: number, mentions = 1, severity?: Severity): Evidence => ({
  kind: "evidence",
  at: minute * MINUTE,
  mentions,
  because: `evidence of minute ${minute}`,
  windowFrom: (minute - 5) * MINUTE,
  windowTo: minute * MINUTE,
  values: { minute },
  ...(severity && { severity }),
});
const notMet = (minute: number): Observation => ({ kind: "not-met", at: minute * MINUTE });
const passed = (minute: number): Observation => ({ kind: "time-passed", until: minute * MINUTE });
const withdrawn = (minute: number): Observation => ({ kind: "withdrawn", at: minute * MINUTE });

function story(rule: LifeRule, ...observations: Observation[]) {
  const { life, changes } = observeAll(null, rule, observations);
  return { life, outcomes: changes.map(({ outcome }) => outcome), changes };
}

test("evidence fires an alert without `for` at once", () => {
  const { life, outcomes } = story(RULE, evidence(10, 3));
  expect(outcomes).toEqual(["Fired"]);
  expect(life).toEqual({
    state: "firing",
    severity: "warning",
    openedAt: 10 * MINUTE,
    firedAt: 10 * MINUTE,
    lastSeenAt: 10 * MINUTE,
    resolvedAt: null,
    notifyCount: 1,
    renotifyReason: null,
    mentions: 3,
    because: "evidence of minute 10",
    windowFrom: 5 * MINUTE,
    windowTo: 10 * MINUTE,
    values: { minute: 10 },
    handling: { callingSince: 10 * MINUTE },
  });
});

test("more evidence lets it grow and keeps the sentence that made it fire", () => {
  const { life, outcomes } = story(RULE, evidence(10), evidence(20, 4), evidence(45));
  expect(outcomes).toEqual(["Fired", "Grew", "Grew"]);
  expect(life).toMatchObject({ mentions: 6, lastSeenAt: 45 * MINUTE, because: "evidence of minute 10" });
});

test("what arrives while the rule is not true counts into the open alert, and does not prolong it", () => {
  const count = (n: number, minute: number) => ({
    ...{ count: n, windowMs: 5 * MINUTE, at: minute * MINUTE, subject: "negative mentions" },
  });
  const { life, outcomes } = story(
    RULE,
    { ...evidence(10, 20), present: count(20, 10) },
    { kind: "not-met", at: 15 * MINUTE, mentions: 30, present: count(30, 15) },
    { kind: "not-met", at: 20 * MINUTE, mentions: 0, present: count(0, 20) },
    { kind: "not-met", at: 40 * MINUTE, mentions: 7, present: count(7, 40) },
    { kind: "not-met", at: 45 * MINUTE, mentions: 9, present: count(9, 45) },
  );
  expect(outcomes).toEqual(["Fired", "Grew", "Grew", "Resolved", "Nothing"]);
  expect(life).toMatchObject({ mentions: 57, lastSeenAt: 10 * MINUTE, resolvedAt: 40 * MINUTE });
  expect(life?.progress?.peak).toEqual(count(30, 15));
});

test("an alert is resolved at its last evidence plus `overAfter`, whenever that is noticed", () => {
  expect(story(RULE, evidence(10), passed(500)).life).toMatchObject({
    state: "resolved",
    resolvedAt: 40 * MINUTE,
  });
  expect(story(RULE, evidence(10), notMet(40)).life).toMatchObject({ resolvedAt: 40 * MINUTE });
});

test.each([
  ["time has passed only up to the deadline, at which evidence may still come", passed(40)],
  ["a tick before the deadline is not met", notMet(35)],
])("an alert goes on while %s", (_name, observation) => {
  const { life, outcomes } = story(RULE, evidence(10), observation);
  expect(outcomes).toEqual(["Fired", "Nothing"]);
  expect(life?.state).toBe("firing");
});

test("evidence at the deadline itself still belongs to the alert", () => {
  expect(story(RULE, evidence(10), passed(40), evidence(40)).outcomes).toEqual(["Fired", "Nothing", "Grew"]);
});

test("later evidence resolves the alert and opens the next one", () => {
  const { changes } = story(RULE, evidence(10), evidence(41));
  expect(changes.map(({ outcome, isNew }) => [outcome, isNew])).toEqual([
    ["Fired", true],
    ["Resolved", false],
    ["Fired", true],
  ]);
  expect(changes[1]?.life).toMatchObject({ resolvedAt: 40 * MINUTE, mentions: 1 });
  expect(changes[2]?.life).toMatchObject({ openedAt: 41 * MINUTE, mentions: 1 });
});

const PATIENT: LifeRule = { ...RULE, forMs: 10 * MINUTE };

test("with `for` an alert is pending until it has been true for that long", () => {
  const { life, outcomes } = story(PATIENT, evidence(0), evidence(5), evidence(10, 7));
  expect(outcomes).toEqual(["OpenedPending", "Grew", "Fired"]);
  expect(life).toMatchObject({
    openedAt: 0,
    firedAt: 10 * MINUTE,
    because: "evidence of minute 10",
    mentions: 9,
  });
});

test("a tick that is not met ends a pending alert, and says that it never fired", () => {
  const { life, outcomes } = story(PATIENT, evidence(0), notMet(5), evidence(10), evidence(15));
  expect(outcomes).toEqual(["OpenedPending", "NeverFired", "OpenedPending", "Grew"]);
  expect(life).toMatchObject({ state: "pending", openedAt: 10 * MINUTE });
});

test("a pending alert without further evidence ends after `overAfter`", () => {
  const { life, outcomes } = story(PATIENT, evidence(0), passed(31));
  expect(outcomes).toEqual(["OpenedPending", "NeverFired"]);
  expect(life).toMatchObject({ state: "resolved", firedAt: null, resolvedAt: 30 * MINUTE });
});

test("late evidence counts into the open alert without moving it back", () => {
  const { life } = story(RULE, evidence(20), evidence(10, 2));
  expect(life).toMatchObject({ openedAt: 20 * MINUTE, lastSeenAt: 20 * MINUTE, mentions: 3 });
});

test("evidence older than the end of the last alert counts into that one without a notification", () => {
  const { life, outcomes } = story(RULE, evidence(10), passed(60), evidence(35));
  expect(outcomes).toEqual(["Fired", "Resolved", "CountedLate"]);
  expect(life).toMatchObject({ state: "resolved", resolvedAt: 40 * MINUTE, mentions: 2 });
});

test("late evidence that is more severe than the resolved alert opens a new one", () => {
  const { life, outcomes } = story(RULE, evidence(10), passed(60), evidence(35, 1, "critical"));
  expect(outcomes).toEqual(["Fired", "Resolved", "Fired"]);
  expect(life?.severity).toBe("critical");
});

test("late evidence after an alert that never fired opens a new one, because nobody was notified", () => {
  expect(story(PATIENT, evidence(0), passed(60), evidence(20)).outcomes).toEqual([
    "OpenedPending",
    "NeverFired",
    "OpenedPending",
  ]);
});

test("more severe evidence raises the severity with its own sentence; it does not fall again", () => {
  const { life, changes } = story(
    RULE,
    evidence(0),
    evidence(5, 1, "critical"),
    evidence(6),
    evidence(7, 1, "info"),
  );
  expect(changes.map(({ outcome }) => outcome)).toEqual(["Fired", "SeverityRose", "Grew", "Grew"]);
  expect(changes[1]).toMatchObject({ from: "warning" });
  expect(life).toMatchObject({ severity: "critical", because: "evidence of minute 5" });
});

test("an acknowledged alert grows and ends like any other, and fires again only when it rises", () => {
  const acknowledged: AlertLife = { ...(story(RULE, evidence(0)).life as AlertLife), state: "acknowledged" };
  expect(observe(acknowledged, RULE, evidence(5))[0]?.life?.state).toBe("acknowledged");
  expect(observe(acknowledged, RULE, passed(31))[0]?.outcome).toBe("Resolved");
  expect(observe(acknowledged, RULE, evidence(5, 1, "critical"))[0]?.life?.state).toBe("firing");
});

test("an alert whose rule is gone is resolved, so that its end can be sent", () => {
  expect(story(RULE, evidence(0), withdrawn(12)).life).toMatchObject({ resolvedAt: 12 * MINUTE });
  expect(story(RULE, evidence(0), withdrawn(90)).life).toMatchObject({ resolvedAt: 30 * MINUTE });
});

test("a reopened alert starts without assignee and acknowledgement, and counts as relevant again", () => {
  const rule = { ...RULE, reopenWithinMs: 60 * MINUTE };
  const handled: AlertLife = {
    ...(story(RULE, evidence(0), withdrawn(12)).life as AlertLife),
    handling: { assignee: "Ann", acknowledgedBy: "Bo", closedBy: "Ann", relevant: false, endedBecause: "x" },
  };
  const [change] = observe(handled, rule, evidence(50));
  expect(change?.outcome).toBe("Reopened");
  expect(change?.life?.handling).toEqual({ callingSince: 50 * MINUTE });
});

test("an alert that doubles or rises loses its acknowledgement and assignee", () => {
  const taken: AlertLife = {
    ...(story(RULE, evidence(0)).life as AlertLife),
    state: "acknowledged",
    handling: { assignee: "Ann", acknowledgedBy: "Bo", relevant: true },
  };
  for (const worse of [evidence(5, 1, "critical"), { ...evidence(5), renotify: "Doubled" as const }]) {
    const [change] = observe(taken, RULE, worse);
    expect(change?.life?.state).toBe("firing");
    expect(change?.life?.handling).toEqual({ callingSince: 5 * MINUTE, relevant: true });
  }
});

test("what nobody has taken goes on calling while it grows, and calls anew when it becomes more severe", () => {
  const open = story(RULE, evidence(0)).life as AlertLife;
  const [doubled] = observe(open, RULE, { ...evidence(5), renotify: "Doubled" as const });
  expect(doubled?.life?.handling).toEqual({ callingSince: 0 });
  const [risen] = observe(open, RULE, evidence(5, 1, "critical"));
  expect(risen?.life?.handling).toEqual({ callingSince: 5 * MINUTE });
});

test.each([notMet(5), passed(5), withdrawn(5)])("without an alert $kind is nothing", (observation) => {
  expect(observe(null, RULE, observation)).toEqual([{ outcome: "Nothing", life: null, isNew: false }]);
});

const ruleOf = fc.record({
  severity: fc.constant<Severity>("warning"),
  forMs: fc.constantFrom(0, 0, 5, 12).map((minutes) => minutes * MINUTE),
  overAfterMs: fc.constantFrom(0, 5, 10, 30).map((minutes) => minutes * MINUTE),
});
/** Evidence and unmet ticks of one query in order, as ingest passes them on. */
const feed = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 25 }),
      met: fc.boolean(),
      mentions: fc.integer({ min: 0, max: 5 }),
      severity: fc.constantFrom<Severity | undefined>(undefined, undefined, undefined, "critical"),
    }),
    { maxLength: 40 },
  )
  .map((steps) => {
    let minute = 0;
    return steps.map(({ gap, met, mentions, severity }): Observation => {
      minute += met ? gap : Math.max(gap, 1);
      return met ? evidence(minute, mentions, severity) : notMet(minute);
    });
  });

function momentOf(observation: Observation): number {
  return observation.kind === "time-passed" ? observation.until : observation.at;
}

/** All resulting alerts, each in its last state. */
function alertsOf(changes: readonly LifeChange[]): AlertLife[] {
  const alerts: AlertLife[] = [];
  for (const { life, isNew } of changes) {
    if (isNew) alerts.push(life);
    else if (life) alerts[alerts.length - 1] = life;
  }
  return alerts;
}

test("the number of time-passed observations in between does not change the alerts", () => {
  fc.assert(
    fc.property(ruleOf, feed, fc.array(fc.integer({ min: 0, max: 1_000 })), (rule, observations, ticks) => {
      const end = passed(2_000);
      const plain = alertsOf(observeAll(null, rule, [...observations, end]).changes);
      const ticked = [...observations];
      for (const tick of ticks) {
        // Complete until a moment: everything before it was observed, nothing at it or later.
        const place = ticked.findIndex((other) => momentOf(other) >= tick * MINUTE);
        ticked.splice(place < 0 ? ticked.length : place, 0, passed(tick));
      }
      expect(alertsOf(observeAll(null, rule, [...ticked, end]).changes)).toEqual(plain);
    }),
    { numRuns: runs(500) },
  );
});

test("splitting into pages, and continuing from the stored alert, does not change the alerts", () => {
  fc.assert(
    fc.property(ruleOf, feed, fc.integer({ min: 1, max: 7 }), (rule, observations, size) => {
      const changes: LifeChange[] = [];
      let life: AlertLife | null = null;
      for (let from = 0; from < observations.length; from += size) {
        const page = observeAll(life, rule, observations.slice(from, from + size));
        life = JSON.parse(JSON.stringify(page.life));
        changes.push(...page.changes);
      }
      expect(alertsOf(changes)).toEqual(alertsOf(observeAll(null, rule, observations).changes));
    }),
  );
});

test("alerts of a rule without `for` are the runs of evidence without a gap above `overAfter`", () => {
  fc.assert(
    fc.property(ruleOf, feed, (anyRule, observations) => {
      const rule = { ...anyRule, forMs: 0 };
      const given = observations.filter((observation) => observation.kind === "evidence");
      const runs: Evidence[][] = [];
      for (const next of given) {
        const run = runs.at(-1);
        const last = run?.at(-1);
        if (run && last && next.at <= last.at + rule.overAfterMs) run.push(next);
        else runs.push([next]);
      }
      // Without unmet ticks at a deadline, which end the alert while evidence of the same moment could still come.
      const alerts = alertsOf(observeAll(null, rule, [...given, passed(5_000)]).changes);
      expect(
        alerts.map(({ openedAt, resolvedAt, mentions }) => ({ openedAt, resolvedAt, mentions })),
      ).toEqual(
        runs.map((run) => ({
          openedAt: run[0]?.at,
          resolvedAt: (run.at(-1)?.at ?? 0) + rule.overAfterMs,
          mentions: run.reduce((sum, { mentions }) => sum + mentions, 0),
        })),
      );
    }),
  );
});

test("no mention is lost or counted twice, and at most one alert is open at a time", () => {
  fc.assert(
    fc.property(ruleOf, feed, (rule, observations) => {
      const alerts = alertsOf(observeAll(null, rule, observations).changes);
      const given = observations.reduce((sum, o) => sum + (o.kind === "evidence" ? o.mentions : 0), 0);
      expect(alerts.reduce((sum, { mentions }) => sum + mentions, 0)).toBe(given);
      for (const [index, alert] of alerts.entries()) {
        const next = alerts[index + 1];
        if (next) expect(alert.resolvedAt).toBeLessThanOrEqual(next.openedAt);
        expect(alert.lastSeenAt).toBeGreaterThanOrEqual(alert.openedAt);
        expect(alert.state === "resolved").toBe(alert.resolvedAt !== null);
      }
    }),
  );
});

test("evidence of much more renotifies, with its own sentence, and ends an acknowledgement", () => {
  const more: Evidence = { ...evidence(20, 40), renotify: "Doubled" };
  const { life, outcomes, changes } = story(RULE, evidence(10), more, evidence(25));
  expect(outcomes).toEqual(["Fired", "Worsened", "Grew"]);
  expect(changes[1]).toMatchObject({ reason: "Doubled", isNew: false });
  expect(life).toMatchObject({ notifyCount: 2, renotifyReason: "Doubled", because: "evidence of minute 20" });

  const acknowledged: AlertLife = { ...(life as AlertLife), state: "acknowledged" };
  const [again] = observe(acknowledged, RULE, { ...evidence(30), renotify: "NewWave" });
  expect(again?.life).toMatchObject({ state: "firing", notifyCount: 3, renotifyReason: "NewWave" });
});

test("evidence about the whole alert so far replaces the sentence while it grows", () => {
  const { life, outcomes } = story(RULE, evidence(10), { ...evidence(15), restates: true });
  expect(outcomes).toEqual(["Fired", "Grew"]);
  expect(life?.because).toBe("evidence of minute 15");
});

test("a pending alert is sent once it fires, and not before", () => {
  const { outcomes } = story({ ...RULE, forMs: 15 * MINUTE }, evidence(10), {
    ...evidence(15),
    renotify: "Doubled",
  });
  expect(outcomes).toEqual(["OpenedPending", "Grew"]);
});

test("goes on without the limit as long as its condition says so; what is pending does not", () => {
  const on = (minute: number): Observation => ({ kind: "not-met", at: minute * MINUTE, goesOn: true });
  const fired = observe(null, RULE, evidence(0))[0]?.life ?? null;
  expect(fired?.state).toBe("firing");
  const later = observe(fired, RULE, on(10))[0]?.life ?? null;
  expect(later).toMatchObject({ state: "firing", lastSeenAt: 10 * MINUTE });
  const pending = observe(null, { ...RULE, forMs: 15 * MINUTE }, evidence(0))[0]?.life ?? null;
  expect(observe(pending, { ...RULE, forMs: 15 * MINUTE }, on(5))[0]?.outcome).toBe("NeverFired");
});

test("a peak that was counted again is that of the newest count; one that was not is the most so far", () => {
  const of = (n: number, at: number) => ({
    count: n,
    windowMs: 5 * MINUTE,
    at: at * MINUTE,
    subject: "mentions",
  });
  const first =
    observe(null, RULE, { ...evidence(0), present: of(206, 0), peak: of(206, 0) })[0]?.life ?? null;
  const recounted = observe(first, RULE, { ...evidence(5), present: of(150, 5), peak: of(200, 0) })[0]?.life;
  expect(recounted?.progress?.peak?.count).toBe(200);
  const uncounted = observe(first, RULE, { ...evidence(5), present: of(150, 5) })[0]?.life;
  expect(uncounted?.progress?.peak?.count).toBe(206);
});

const REOPENS: LifeRule = { ...RULE, reopenWithinMs: 10 * MINUTE };
const openedAt10 = (rule: LifeRule) => story(rule, evidence(10)).life;

test.each<[string, LifeRule, Observation, string]>([
  ["at its end", REOPENS, evidence(40), "CountedLate"],
  ["right after its end", REOPENS, { ...evidence(40), at: 40 * MINUTE + 1 }, "Reopened"],
  ["at the end of the time in which it reopens", REOPENS, evidence(50), "Reopened"],
  ["after that", REOPENS, { ...evidence(50), at: 50 * MINUTE + 1 }, "Fired"],
  ["after its end, if nothing reopens", RULE, { ...evidence(40), at: 40 * MINUTE + 1 }, "Fired"],
  ["late and more severe, though it could reopen", REOPENS, evidence(30, 1, "critical"), "Fired"],
])("evidence for an alert that is over, %s", (_, rule, late, outcome) => {
  const { changes } = observeAll(openedAt10(rule), rule, [passed(41), late]);
  expect(changes.at(-1)?.outcome).toBe(outcome);
});

test("a person's end holds as long as the alert would have gone on without it", () => {
  const life = openedAt10(RULE);
  if (life === null) throw new Error("it did not open");
  const closed: AlertLife = {
    ...life,
    state: "resolved",
    resolvedAt: 20 * MINUTE,
    handling: { closedBy: "ann" },
  };
  const after = (at: number, severity?: Severity) =>
    observe(closed, RULE, { ...evidence(0, 1, severity), at }).map(({ outcome, life: then }) => [
      outcome,
      then?.lastSeenAt,
    ]);
  expect(after(40 * MINUTE)).toEqual([["CountedLate", 40 * MINUTE]]);
  expect(after(5 * MINUTE)).toEqual([["CountedLate", 10 * MINUTE]]);
  expect(after(40 * MINUTE + 1)).toEqual([["Fired", 40 * MINUTE + 1]]);
  expect(after(30 * MINUTE, "critical")).toEqual([["Fired", 30 * MINUTE]]);
});

test("an alert that never fired cannot reopen", () => {
  const rule = { ...REOPENS, forMs: 5 * MINUTE };
  const { changes } = observeAll(null, rule, [evidence(10), passed(41), evidence(42)]);
  expect(changes.map(({ outcome }) => outcome)).toEqual(["OpenedPending", "NeverFired", "OpenedPending"]);
});

const count = (number: number, minute: number) => ({
  ...{ count: number, windowMs: 5 * MINUTE, at: minute * MINUTE, subject: "mentions" },
});

test("what is not met says something only if there is news after the last evidence", () => {
  const life = story(
    RULE,
    { ...evidence(10, 5), present: count(5, 10) },
    {
      ...{ kind: "not-met", at: 15 * MINUTE, mentions: 1, present: count(1, 15) },
    },
  ).life;
  const outcomes = (given: object) =>
    observe(life, RULE, { kind: "not-met", at: 20 * MINUTE, ...given } as Observation).map(
      ({ outcome }) => outcome,
    );
  expect(outcomes({ mentions: 0, present: count(1, 20) })).toEqual(["Nothing"]);
  expect(outcomes({ present: count(1, 20) })).toEqual(["Nothing"]);
  expect(outcomes({ mentions: 1, present: count(1, 20) })).toEqual(["Grew"]);
  expect(outcomes({ mentions: 0, present: count(2, 20) })).toEqual(["Grew"]);
  expect(outcomes({ at: 10 * MINUTE, mentions: 1 })).toEqual(["Nothing"]);
});

test("what is not met after the end of an alert is nothing, and counts never fall below 0", () => {
  const over = story(RULE, evidence(10), passed(41)).life;
  for (const observation of [notMet(60), passed(60), withdrawn(60)])
    expect(observe(over, RULE, observation)).toEqual([{ outcome: "Nothing", life: null, isNew: false }]);
  const fewer: Observation = { kind: "not-met", at: 15 * MINUTE, mentions: -5 };
  expect(story(RULE, evidence(10, 2), fewer).life?.mentions).toBe(0);
  expect(story(RULE, evidence(10, 2), evidence(11, -5)).life?.mentions).toBe(0);
});

test("what goes on counts at the deadline itself, not after it", () => {
  const goesOn = (at: number): Observation => ({ kind: "not-met", at, goesOn: true, mentions: 4 });
  const at = (moment: number) => {
    const { life, outcomes } = story(RULE, evidence(10), goesOn(moment));
    return [outcomes[1], life?.lastSeenAt, life?.mentions];
  };
  expect(at(40 * MINUTE)).toEqual(["Grew", 40 * MINUTE, 5]);
  expect(at(40 * MINUTE + 1)).toEqual(["Resolved", 10 * MINUTE, 1]);
});

test("a withdrawn alert says why, if there is a reason", () => {
  const because = "the query is gone";
  const { life } = story(RULE, evidence(10), { kind: "withdrawn", at: 15 * MINUTE, because });
  expect(life?.handling).toEqual({ callingSince: 10 * MINUTE, endedBecause: because });
  expect(story(RULE, evidence(10), withdrawn(15)).life?.handling).toEqual({ callingSince: 10 * MINUTE });
});

test("a reopened alert begins its counts anew, if it has any", () => {
  const reopen = (given: object, again: object) =>
    observeAll(null, REOPENS, [{ ...evidence(10), ...given }, passed(41), { ...evidence(45), ...again }])
      .life;
  const present = { present: count(5, 10), step: "at least 5" };
  expect(reopen(present, {})?.progress).toEqual({});
  expect(reopen(present, { present: count(2, 45) })?.progress).toEqual({
    // Its mentions are still counted from its first window.
    countedFrom: 5 * MINUTE,
    first: count(2, 45),
    peak: count(2, 45),
  });
  expect(reopen({}, {})).not.toHaveProperty("progress");
});

test("the counts of an alert: at its beginning, at its peak, and now", () => {
  const begun = (given: object) => story(RULE, { ...evidence(10), ...given }).life;
  expect(begun({})).not.toHaveProperty("progress");
  expect(begun({ step: "at least 5" })?.progress).toEqual({
    countedFrom: 5 * MINUTE,
    step: "at least 5",
  });
  expect(begun({ present: count(5, 10) })?.progress).toEqual({
    countedFrom: 5 * MINUTE,
    first: count(5, 10),
    peak: count(5, 10),
  });
  const later = (number: number) =>
    story(RULE, { ...evidence(10), present: count(5, 10) }, { ...evidence(20), present: count(number, 20) })
      .life?.progress?.peak;
  expect([later(4), later(5), later(6)]).toEqual([count(5, 10), count(5, 10), count(6, 20)]);
  const recounted = story(
    RULE,
    { ...evidence(10), present: count(5, 10) },
    { ...evidence(20), peak: count(3, 10) },
  );
  expect(recounted.life?.progress).toMatchObject({ first: count(5, 10), peak: count(3, 10) });
});

test("a pending alert does not need attention, and takes the higher severity before it fires", () => {
  const rule = { ...RULE, forMs: 10 * MINUTE };
  expect(story(rule, evidence(10)).life).not.toHaveProperty("handling");
  const severity = (first?: Severity, second?: Severity) =>
    story(rule, evidence(10, 1, first), evidence(15, 1, second)).life?.severity;
  expect([severity(), severity(undefined, "critical"), severity("critical")]).toEqual([
    "warning",
    "critical",
    "critical",
  ]);
});

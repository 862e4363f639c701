import { expect, test } from "vitest";
import type { LifeChange } from "../../../src/monitor/alerts/alert-life.ts";
import { wordsOf } from "../../../src/monitor/model/wording.ts";
import type { DropReason, HoldReason, NotifyReason } from "../../../src/monitor/notify/decide/batch.ts";

/** Growth has no line in a history; `Worsened` has the line of its reason. */
type Unwritten = "Nothing" | "Grew" | "CountedLate" | "Worsened";
type Reason = NotifyReason | HoldReason | DropReason | Exclude<LifeChange["outcome"], Unwritten>;

/** The compiler requires each of them. */
const REASONS: Readonly<Record<Reason, true>> = {
  FirstNotification: true,
  SeverityRose: true,
  Doubled: true,
  NewWave: true,
  DayBegan: true,
  NewFact: true,
  RepeatIntervalElapsed: true,
  Escalated: true,
  Reopened: true,
  Resolved: true,
  FiredAndEnded: true,
  HeldBySilence: true,
  HeldByInhibition: true,
  HeldByQuietHours: true,
  HeldByGroup: true,
  HeldByThrottle: true,
  StillPending: true,
  NeverFired: true,
  NothingNew: true,
  NoNewEvidence: true,
  Acknowledged: true,
  Watching: true,
  EndNeedsNobody: true,
  NoLongerRouted: true,
  EscalationWaits: true,
  EscalationStopped: true,
  ResolveNotWanted: true,
  ResolvedUnannounced: true,
  EndedWhileMuted: true,
  EndedLongAgo: true,
  OpenedPending: true,
  Fired: true,
};

test("every reason has words that a reader of a history understands", () => {
  const bare = (name: string) => name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  for (const reason of Object.keys(REASONS)) {
    const isPlain = ["Fired", "HeldByQuietHours", "Resolved"].includes(reason);
    if (!isPlain) expect(wordsOf(reason).toLowerCase()).not.toBe(bare(reason));
  }
  const all = Object.keys(REASONS).map(wordsOf);
  expect(new Set(all).size).toBe(all.length);
});

test("a name without words is shown as words", () => {
  expect(wordsOf("SomethingElse")).toBe("Something else");
});

import { expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { decideJoining, isNear, type Newcomer, reopensUntil } from "../../../src/monitor/incidents/join.ts";
import { materialOf, sharedWith, withoutMentions } from "../../../src/monitor/incidents/material.ts";
import type { StoryMention } from "../../../src/monitor/model/mention.ts";
import { aMention } from "../../mention.ts";
import { incidentOf, NOON } from "./incident-of.ts";

let next = 0;
function told(text: string, author = `author ${++next}`, story = `story ${++next}`): StoryMention {
  return { mention: aMention({ resourceId: `m${++next}`, text, author }), story };
}

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => told(text(index)));
const CALM = { negative: 0, total: 0 };
const before = many(40, (index) => `a lovely morning with the brand ${index}`);
const crisis = many(20, (index) => `the battery exploded during charging, number ${index}`);
const material = materialOf(crisis, before);

function newcomer(changes: Partial<Newcomer> = {}): Newcomer {
  return {
    alert: { severity: "warning" },
    firedAt: NOON + HOUR,
    group: "",
    counts: false,
    mentions: [],
    ...changes,
  };
}

test("what tells the same in its own words joins; what tells something else does not", () => {
  expect(sharedWith([told("my battery exploded, too")], material)).toBe("words");
  expect(sharedWith([told("a lovely morning, and a lovely day")], material)).toBeNull();
  expect(sharedWith([told("the price went up")], material)).toBeNull();
});

test("words of Hindi are not cut at their vowel signs", () => {
  const dry = materialOf(
    many(20, (index) => `यहाँ पानी नहीं है ${index}`),
    before,
  );
  expect(sharedWith([told("नहीं, पानी नहीं")], dry)).toBe("words");
  expect(sharedWith([told("पान और नह")], dry)).toBeNull();
});

test("one hashtag of it is enough", () => {
  const tagged = materialOf(
    many(20, (index) => `anything ${index} at all #BatteryGate`),
    before,
  );
  expect(sharedWith([told("they deleted my comment #batterygate")], tagged)).toBe("words");
  expect(sharedWith([told("they deleted my comment #brand")], tagged)).toBeNull();
});

test("while nearly all that is negative is about it, a negative mention joins in any words", () => {
  const incident = incidentOf({ uncalmUntil: NOON + HOUR / 2 });
  const joinable = [{ incident, material, mutes: false, surge: CALM }];
  const negative = (sentiment: string) => {
    const one = told("the police are here");
    return [{ ...one, mention: { ...one.mention, sentiment } }];
  };
  const joins = { outcome: "Joins", incident, because: "InItsWave" };
  expect(decideJoining(newcomer({ mentions: negative("negative") }), joinable)).toEqual(joins);
  const apart = { outcome: "Apart", because: "NothingShared" };
  expect(decideJoining(newcomer({ mentions: negative("positive") }), joinable)).toEqual(apart);
  const later = newcomer({ mentions: negative("negative"), firedAt: NOON + 3 * HOUR });
  expect(decideJoining(later, joinable)).toEqual(apart);
  const usual = Array.from({ length: 24 }, () => ({ negative: 8, total: 20 }));
  const small = [{ incident: incidentOf({ ...incident, usual }), material, mutes: false, surge: CALM }];
  expect(decideJoining(newcomer({ mentions: negative("negative") }), small)).toEqual(apart);
});

test("in its first minutes a wave is what its alerts have counted; of all mentions it takes in any mood", () => {
  const incident = incidentOf({ peak: CALM, usual: null, uncalmUntil: NOON + HOUR / 2 });
  const saying = (sentiment: string | null) => {
    const one = told("the police are here");
    return newcomer({ mentions: [{ ...one, mention: { ...one.mention, sentiment } }] });
  };
  const joining = (sentiment: string | null, surge: typeof CALM, counts = false) =>
    decideJoining({ ...saying(sentiment), counts }, [{ incident, material, mutes: false, surge }]).outcome;
  expect(joining("negative", { negative: 10, total: 0 })).toBe("Joins");
  expect(joining("negative", { negative: 9.9, total: 0 })).toBe("Apart");
  expect(joining("neutral", { negative: 60, total: 9.9 })).toBe("Apart");
  expect(joining("neutral", { negative: 60, total: 10 })).toBe("Joins");
  expect(joining(null, { negative: 0, total: 10 }, true)).toBe("Opens");
});

test("it joins the newest of those that it could join", () => {
  const joinable = ["old", "new"].map((id) => ({
    ...{ incident: incidentOf({ id }), material, mutes: false, surge: CALM },
  }));
  const joining = decideJoining(newcomer({ mentions: crisis.slice(0, 1) }), joinable);
  expect(joining).toMatchObject({ outcome: "Joins", incident: { id: "new" } });
});

test("nothing joins by its mood alone what is watched, what is over, or a wave of an hour ago", () => {
  const [one] = [told("the police are here")];
  const grumble = [{ ...one, mention: { ...one.mention, sentiment: "negative" } }] as StoryMention[];
  const joining = (changes: Parameters<typeof incidentOf>[0], mentions = grumble) =>
    decideJoining(newcomer({ mentions }), [
      { incident: incidentOf(changes), material, mutes: false, surge: { negative: 10, total: 0 } },
    ]).outcome;
  const during = { uncalmUntil: NOON + 1 };
  expect(joining(during)).toBe("Joins");
  // The newcomer fired at one.
  expect(joining({ uncalmUntil: NOON })).toBe("Apart");
  expect(joining({ ...during, status: "watching", calmSince: NOON + 1 })).toBe("Apart");
  expect(joining({ ...during, measure: "total" })).toBe("Apart");
  expect(joining(during, [])).toBe("Apart");
  expect(joining(during, [...grumble, told("what a nice day")])).toBe("Apart");
});

test("the wave is what its largest hour has, beside what is usual at the hour of the newcomer", () => {
  const usual = Array.from({ length: 24 }, (_, hour) => ({ negative: 9, total: hour === 13 ? 4 : 30 }));
  const joining = (peak: typeof CALM, firedAt = NOON + HOUR, hours: typeof usual | null = usual) =>
    decideJoining(newcomer({ firedAt, mentions: [told("the police are here")] }), [
      {
        incident: incidentOf({ peak, usual: hours, uncalmUntil: firedAt }),
        ...{ material, mutes: false, surge: CALM },
      },
    ]).outcome;
  expect(joining({ negative: 0, total: 40 })).toBe("Joins");
  expect(joining({ negative: 0, total: 39 })).toBe("Apart");
  expect(joining({ negative: 0, total: 40 }, NOON + 2 * HOUR - 1)).toBe("Joins");
  expect(joining({ negative: 0, total: 40 }, NOON + 2 * HOUR)).toBe("Apart");
  // At least one mention is usual in every hour.
  const silent = usual.map(() => ({ negative: 0, total: 0.1 }));
  expect([9, 10].map((total) => joining({ negative: 0, total }, NOON + HOUR, silent))).toEqual([
    ...["Apart", "Joins"],
  ]);
});

test("what began it may be a day older, and what ended half a day, to the moment", () => {
  const open = incidentOf({ checkedUntil: NOON + 2 * HOUR, lastSeenAt: NOON });
  expect([isNear(open, NOON + 2 * HOUR + DAY), isNear(open, NOON + 2 * HOUR + DAY + 1)]).toEqual([
    true,
    false,
  ]);
  const seen = incidentOf({ checkedUntil: NOON, lastSeenAt: NOON + 2 * HOUR });
  expect(isNear(seen, NOON + 2 * HOUR + DAY)).toBe(true);
  const over = incidentOf({ status: "over", calmSince: NOON, endedAt: NOON });
  expect([isNear(over, NOON + 12 * HOUR), isNear(over, NOON + 12 * HOUR + 1)]).toEqual([true, false]);
  expect(reopensUntil(incidentOf())).toBe(Number.POSITIVE_INFINITY);
  expect(reopensUntil({ ...over, severity: "warning", alerts: 1 })).toBe(NOON);
  expect(reopensUntil({ ...over, severity: "warning", alerts: 2 })).toBe(NOON + 12 * HOUR);
});

test("the same author, or the same story, joins", () => {
  const [first] = crisis;
  if (first === undefined) throw new Error("no crisis");
  expect(sharedWith([told("thanks for nothing", first.mention.author ?? "")], material)).toBe("authors");
  expect(sharedWith([told("", "somebody", first.story)], material)).toBe("stories");
});

test("a mention shares nothing with itself", () => {
  const alone = told("the price went up", "famous", "own story");
  const counted = materialOf([...crisis, alone], before);
  expect(sharedWith([alone], counted)).toBe("stories");
  expect(sharedWith([alone], withoutMentions(counted, [alone]))).toBeNull();
  // What the incident has not counted takes nothing away from it.
  const stranger = { ...alone, mention: { ...alone.mention, resourceId: "another" } };
  expect(sharedWith([alone], withoutMentions(counted, [stranger]))).toBe("stories");
  const none = materialOf(crisis, []);
  expect(none.words.has("exploded")).toBe(true);
});

test("of an alert on counts a tenth of its mentions is enough, and less is not", () => {
  const others = many(18, (index) => `the price went up ${index}`);
  expect(sharedWith([...others, ...crisis.slice(0, 2)], material)).toBe("stories");
  expect(sharedWith([...others, ...crisis.slice(0, 1)], material)).toBeNull();
});

test("a warning on counts begins an incident, a single small alert does not, and `incident: never` stands apart", () => {
  expect(decideJoining(newcomer({ counts: true }), [])).toEqual({ outcome: "Opens" });
  expect(decideJoining(newcomer(), [])).toEqual({ outcome: "Apart", because: "Small" });
  expect(decideJoining(newcomer({ counts: true, alert: { severity: "info" } }), [])).toMatchObject({
    outcome: "Apart",
  });
  const joinable = [{ incident: incidentOf(), material, mutes: true, surge: CALM }];
  expect(decideJoining(newcomer({ group: null, mentions: crisis }), joinable)).toEqual({
    outcome: "Apart",
    because: "RuleKeepsItApart",
  });
});

test("what an alert of the incident mutes belongs to it; a name of its own keeps incidents apart", () => {
  const incident = incidentOf();
  const joinable = [{ incident, material, mutes: true, surge: CALM }];
  expect(decideJoining(newcomer(), joinable)).toEqual({ outcome: "Joins", incident, because: "MutedByIt" });
  expect(decideJoining(newcomer({ group: "recall" }), joinable)).toMatchObject({ outcome: "Apart" });
});

test("the reopen window is apart from the joining window, and what a person ended stays ended", () => {
  const over = incidentOf({ status: "over", calmSince: NOON, endedAt: NOON });
  const firedAt = NOON + 11 * HOUR;
  const alert = { severity: "critical" } as const;
  const share = newcomer({ mentions: crisis.slice(0, 1), alert, firedAt, counts: true });
  const joinable = (incident: typeof over) => [{ incident, material, mutes: false, surge: CALM }];
  expect(decideJoining(share, joinable(over))).toMatchObject({ outcome: "Joins" });
  expect(decideJoining({ ...share, firedAt: NOON + 13 * HOUR }, joinable(over))).toMatchObject({
    outcome: "Opens",
  });
  // What is milder, or only somebody who speaks of it after its end, does not open it again.
  const milder = { ...share, alert: { severity: "warning" } } as const;
  expect(decideJoining(milder, joinable(over))).toMatchObject({ outcome: "Opens" });
  expect(decideJoining({ ...share, counts: false }, joinable(over))).toMatchObject({ outcome: "Apart" });
  const closed = incidentOf({ ...over, handling: { closedBy: "Ann" } });
  expect(reopensUntil(closed)).toBe(NOON);
  expect(decideJoining(share, joinable(closed))).toMatchObject({ outcome: "Opens" });
  expect(decideJoining({ ...share, firedAt: NOON + 2 * DAY }, joinable(incidentOf()))).toMatchObject({
    outcome: "Opens",
  });
});

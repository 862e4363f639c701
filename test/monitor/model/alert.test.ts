import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { firedAtOf, windowAt } from "../../../src/monitor/model/alert.ts";
import { describeActor, describePrecision } from "../../../src/monitor/model/alert-action.ts";
import { momentOf, sinceOf } from "../../../src/monitor/model/poll-state.ts";
import { growthLabel } from "../../../src/monitor/model/wording.ts";
import { aMention } from "../../mention.ts";
import { alertOf, NOON } from "../incidents/incident-of.ts";

test("an alert fired when it last began to call, else when it fired, else when it opened", () => {
  const alert = alertOf({ openedAt: NOON, firedAt: NOON + 1, handling: { callingSince: NOON + 2 } });
  expect(firedAtOf(alert)).toBe(NOON + 2);
  expect(firedAtOf({ ...alert, handling: {} })).toBe(NOON + 1);
  expect(firedAtOf({ ...alert, handling: {}, firedAt: null })).toBe(NOON);
});

test("a window that has moved on since is shown as it was", () => {
  const window = { windowFrom: NOON, windowTo: NOON + HOUR, lastSeenAt: NOON + HOUR };
  expect(windowAt(window, NOON + 2 * HOUR)).toEqual({ from: NOON, to: NOON + HOUR });
  expect(windowAt(window, NOON + 40 * MINUTE)).toEqual({ from: NOON - 20 * MINUTE, to: NOON + 40 * MINUTE });
  // What it saw after its window belongs to it.
  expect(windowAt({ ...window, lastSeenAt: NOON + 90 * MINUTE }, NOON + 2 * HOUR)).toEqual({
    ...{ from: NOON, to: NOON + 90 * MINUTE },
  });
  expect(windowAt({ ...window, lastSeenAt: NOON }, NOON + 2 * HOUR).to).toBe(NOON + HOUR);
});

test.each([
  [{ via: "mail", login: "on-call", typed: null }, "on-call (by mail)"],
  [{ via: "page", login: "comms", typed: "Ann" }, 'comms, as "Ann"'],
  [{ via: "page", login: "ann", typed: "ann" }, "ann"],
  [{ via: "slack", login: "ann", typed: " " }, "ann"],
  [{ via: "page", login: null, typed: 'A "big" boss\u202e' }, "\"A 'big' boss\""],
  [{ via: "page", login: null, typed: "" }, "somebody at the page"],
  [{ via: "shell", login: null, typed: null }, "somebody"],
] as const)("who did something is named by the login first: %j", (actor, words) => {
  expect(describeActor(actor)).toBe(words);
});

test("a typed name is cut, and shown as one line", () => {
  const typed = `  ${"a".repeat(200)}\nfired by the boss`;
  expect(describeActor({ via: "page", login: null, typed })).toBe(`"${"a".repeat(80)}"`);
});

test("the precision of a rule is of what people judged", () => {
  const precision = (relevant: number, notRelevant: number) =>
    describePrecision({ rule: "r", fired: 12, relevant, notRelevant }, 30);
  expect(precision(3, 2)).toBe("60% of the 5 alerts that people judged were relevant; 12 fired in 30 days");
  expect(precision(2, 1)).toContain("67% of the 3 alerts");
  expect(precision(0, 1)).toContain("0% of the one alert that people judged was relevant");
  expect(precision(0, 0)).toContain("nobody has said yet whether");
});

test("a poll reads from its own moment, by its own order", () => {
  const request = { orderBy: "added", orderDirection: "asc", cursor: null, path: "p" } as never;
  expect(sinceOf({ ...(request as object), sinceAdded: 7 } as never)).toBe(7);
  expect(sinceOf({ ...(request as object), sinceUpdated: 8 } as never)).toBe(8);
  expect(sinceOf(request)).toBe(Number.NEGATIVE_INFINITY);
  const mention = aMention({ addedAt: NOON, updatedAt: NOON + 1 });
  expect([momentOf({ orderBy: "added" }, mention), momentOf({ orderBy: "updated" }, mention)]).toEqual([
    ...[NOON, NOON + 1],
  ]);
});

test("growth is named by whole times, the first two of them a little before", () => {
  expect([1.5, 1.89, 1.9, 2.89, 2.9, 3.99, 4, 4.99, 7.2].map(growthLabel)).toEqual([
    ...["Growing", "Growing", "Doubled", "Doubled", "Tripled", "Tripled"],
    ...["4 times as many", "4 times as many", "7 times as many"],
  ]);
});

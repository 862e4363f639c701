import { expect, test } from "vitest";
import type { Alert } from "../../../../src/monitor/model/alert.ts";
import {
  activeInhibitors,
  describeInhibitor,
  Inhibition,
  inhibitorOf,
  isInhibitor,
} from "../../../../src/monitor/notify/decide/inhibition.ts";
import { alertOf } from "../alert-of.ts";

const crisis = (given: Partial<Alert> = {}) =>
  alertOf({ id: "crisis", rule: "crisis", severity: "critical", ...given });
const inhibition = (given: Record<string, unknown> = {}) =>
  Inhibition.parse({ while: { rule: "crisis" }, ...given });
const mutedBy = (given: Inhibition, sources: readonly Alert[], alert: Alert) =>
  inhibitorOf(activeInhibitors([given], sources), alert)?.source.id ?? null;

test.each<[string, Partial<Alert>, Partial<Alert>, Record<string, unknown>, boolean]>([
  ["an alert of the same query", {}, {}, {}, true],
  ["one of another query", {}, { queryId: "202" }, {}, false],
  ["one as severe", {}, { severity: "critical" }, {}, false],
  ["a milder one, by a warning", { severity: "warning" }, { severity: "info" }, {}, true],
  ["by one that has not fired", { firedAt: null }, {}, {}, false],
  ["by one that has ended", { resolvedAt: 5 }, {}, {}, false],
  ["by one of another rule", { rule: "volume" }, {}, {}, false],
  ["one that it mutes by name", {}, { rule: "angry" }, { mute: { rule: "angry" } }, true],
  ["one that it does not mute", {}, { rule: "other" }, { mute: { rule: "angry" } }, false],
  ["one of another query, if nothing has to be equal", {}, { queryId: "202" }, { equal: [] }, true],
  ["one of the same rule", {}, { rule: "crisis" }, { equal: ["rule"] }, true],
  ["one of another rule, if rules have to be equal", {}, { rule: "angry" }, { equal: ["rule"] }, false],
  [
    "one with the same label",
    { labels: { author: "a" } },
    { labels: { author: "a" } },
    { equal: ["author"] },
    true,
  ],
  [
    "one with another label",
    { labels: { author: "a" } },
    { labels: { author: "b" } },
    { equal: ["author"] },
    false,
  ],
  ["without a label, since two missing ones are not equal", {}, {}, { equal: ["author"] }, false],
  ["with what every object has", {}, {}, { equal: ["toString"] }, false],
])("muted or not: %s", (_, source, alert, given, isMuted) => {
  const muted = mutedBy(inhibition(given), [crisis(source)], alertOf({ severity: "warning", ...alert }));
  expect(muted).toBe(isMuted ? "crisis" : null);
});

test("an alert does not mute itself, whatever it was before it rose", () => {
  expect(mutedBy(inhibition(), [crisis()], crisis({ severity: "warning" }))).toBe(null);
});

test("an alert may mute others if one of the inhibitions is about it", () => {
  const both = [inhibition({ while: { rule: "outage" } }), inhibition()];
  expect(isInhibitor(both, crisis())).toBe(true);
  expect(isInhibitor(both, alertOf({ rule: "volume" }))).toBe(false);
});

test("an inhibition is called by its name, else by what it looks at", () => {
  const open = crisis({ queryName: "United" });
  expect(describeInhibitor(open, inhibition())).toBe("inhibition while rule crisis: United, crisis is open");
  expect(describeInhibitor(open, inhibition({ name: "storm" }))).toBe(
    "inhibition storm: United, crisis is open",
  );
});

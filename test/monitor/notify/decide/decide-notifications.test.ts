import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import type { Alert } from "../../../../src/monitor/model/alert.ts";
import { AlertMatch } from "../../../../src/monitor/model/alert-match.ts";
import type { ReceiverEntry } from "../../../../src/monitor/model/notification.ts";
import {
  decideNotifications,
  type IncidentAlerts,
  type NotifyConfig,
  type NotifyState,
} from "../../../../src/monitor/notify/decide/decide-notifications.ts";
import type { Entry } from "../../../../src/monitor/notify/decide/entry.ts";
import { EscalationConfig } from "../../../../src/monitor/notify/decide/escalation.ts";
import { RouteConfig } from "../../../../src/monitor/notify/decide/route.ts";
import { alertOf } from "../alert-of.ts";

const NOW = 5 * HOUR;

interface Setting {
  readonly routes?: readonly object[];
  readonly escalations?: readonly object[];
  readonly entries?: readonly ReceiverEntry[];
  readonly incident?: IncidentAlerts;
  readonly silenced?: readonly string[];
  readonly flushes?: NotifyState["flushes"];
}

const configOf = ({ routes = [{ receivers: ["team"] }], escalations = [] }: Setting): NotifyConfig => ({
  routes: routes.map((one) => RouteConfig.parse(one)),
  escalations: escalations.map((one) => EscalationConfig.parse(one)),
  ...{ inhibitions: [], rotations: [], throttled: [] },
  receiver: (name) => (name === "gone" ? undefined : { name, quietHours: [], throttle: null }),
});

function decide(alerts: readonly Alert[], setting: Setting = {}) {
  const { entries = [], incident, silenced = [], flushes = [] } = setting;
  const silences = silenced.map((rule) => ({
    ...{ id: rule, match: AlertMatch.parse({ rule }), author: "ann", comment: "" },
    ...{ createdAt: 0, startsAt: 0, endsAt: NOW + HOUR, windows: [], endedBy: null },
  }));
  return decideNotifications(alerts, entries, configOf(setting), NOW, {
    ...{ recent: new Map(), flushes, context: { silences, inhibitions: [], open: [] } },
    ...(incident !== undefined && { incidents: new Map([["a1", incident]]) }),
  });
}

const entryOf = (receiver: string, entry: Partial<Entry>, nextAt: number | null): ReceiverEntry => ({
  ...{ projectId: "p1", alertId: "a1", receiver, nextAt },
  entry: { lastNotified: null, last: "FirstNotification", ...entry },
});
const lines = ({ events }: ReturnType<typeof decide>) =>
  events.map(({ what, detail }) => `${what} ${detail}`);
const entriesIn = ({ entries }: ReturnType<typeof decide>) => entries.map(({ entry }) => entry as Entry);
const receiversOf = ({ pending }: ReturnType<typeof decide>) => pending.map(({ receiver }) => receiver);

const notifiedAt = (at: number) => ({
  lastNotified: { at, severity: "warning", lastSeenAt: 0, notifyCount: 1, ended: false } as const,
});

test("an incident goes to the receivers of its alerts that have fired and are not silenced", () => {
  const routes = ["one", "two", "three"].map((rule) => ({ match: { rule }, receivers: [rule] }));
  const members = [
    alertOf({ id: "m1", rule: "one" }),
    alertOf({ id: "m2", rule: "two", firedAt: null }),
    alertOf({ id: "m3", rule: "three" }),
  ];
  const incident = { members, isWatched: false };
  expect(receiversOf(decide([alertOf()], { routes, incident }))).toEqual(["one", "three"]);
  expect(receiversOf(decide([alertOf()], { routes, incident, silenced: ["three"] }))).toEqual(["one"]);
});

test("nobody is reminded of an incident that is watched", () => {
  const entries = [entryOf("team", notifiedAt(0), NOW)];
  const alert = alertOf({ lastSeenAt: 4 * HOUR });
  const reasons = (isWatched: boolean) =>
    decide([alert], { entries, incident: { members: [], isWatched } }).entries.map(
      ({ entry }) => (entry as Entry).last,
    );
  expect(reasons(false)).toEqual(["RepeatIntervalElapsed"]);
  expect(reasons(true)).toEqual(["Watching"]);
});

test("a receiver that no route names any more is not asked again; one that waits for nothing is left as it is", () => {
  const entries = [entryOf("old", {}, NOW), entryOf("older", {}, null), entryOf("team", {}, NOW)];
  const decided = decide([alertOf()], { entries });
  expect(
    decided.entries.map(({ receiver, entry, nextAt }) => [receiver, (entry as Entry).last, nextAt]),
  ).toEqual([
    ["old", "NoLongerRouted", null],
    ["team", "FirstNotification", 9 * HOUR],
  ]);
});

const ESCALATION = {
  name: "nobody answers",
  steps: [
    { after: "15m", receivers: ["lead"] },
    { after: "30m", receivers: ["boss"] },
  ],
};

test.each<[string, Partial<Alert>, readonly string[]]>([
  [
    "acknowledged by somebody",
    { state: "acknowledged", handling: { acknowledgedBy: "ann", callingSince: 0 } },
    [
      "EscalationStopped acknowledged by ann, so not notified: lead (escalation nobody answers, step 1), boss (escalation nobody answers, step 2)",
    ],
  ],
  [
    "assigned to somebody",
    { state: "acknowledged", handling: { assignee: "bo" } },
    [
      "EscalationStopped acknowledged by bo, so not notified: lead (escalation nobody answers, step 1), boss (escalation nobody answers, step 2)",
    ],
  ],
  [
    "acknowledged, nobody knows by whom",
    { state: "acknowledged" },
    [
      "EscalationStopped acknowledged, so not notified: lead (escalation nobody answers, step 1), boss (escalation nobody answers, step 2)",
    ],
  ],
  ["resolved", { state: "resolved", resolvedAt: NOW }, []],
])("an escalation of an alert that is %s says once whom it spares", (_, alert, expected) => {
  const entries = [
    entryOf("team", { ...notifiedAt(NOW), since: NOW, last: "Acknowledged" }, null),
    entryOf("lead", { last: "EscalationWaits" }, NOW),
    entryOf("boss", { last: "EscalationWaits" }, NOW),
  ];
  const decided = decide([alertOf(alert)], { entries, escalations: [ESCALATION] });
  expect(lines(decided).filter((line) => line.startsWith("EscalationStopped"))).toEqual(expected);
  expect(
    decided.entries.filter(({ receiver }) => receiver !== "team").map(({ entry }) => (entry as Entry).last),
  ).toEqual(["EscalationStopped", "EscalationStopped"]);
});

test("one receiver alone is spared as well, and told apart from one that is still routed", () => {
  const entries = [entryOf("team", {}, NOW), entryOf("lead", {}, NOW)];
  const decided = decide([alertOf({ state: "acknowledged" })], { entries, escalations: [ESCALATION] });
  expect(entriesIn(decided).map(({ last }) => last)).toEqual(["EscalationStopped", "FirstNotification"]);
});

test("a receiver that the routes dropped is not spared by an acknowledgement", () => {
  const entries = [entryOf("old", {}, NOW)];
  const decided = decide([alertOf({ state: "acknowledged" })], { entries, escalations: [ESCALATION] });
  expect(lines(decided)).toEqual(["FirstNotification team is notified (route)"]);
  expect(entriesIn(decided).map(({ last }) => last)).toContain("NoLongerRouted");
});

test("a receiver that is not configured is noted once, and keeps what it was notified of", () => {
  const routes = [{ receivers: ["gone"] }];
  const first = decide([alertOf()], { routes, entries: [entryOf("gone", notifiedAt(HOUR), NOW)] });
  expect(lines(first)).toEqual(["UnknownReceiver gone is not configured"]);
  expect(first.pending).toEqual([]);
  expect(first.entries).toEqual([entryOf("gone", { ...notifiedAt(HOUR), last: "UnknownReceiver" }, null)]);
  expect(lines(decide([alertOf()], { routes, entries: first.entries }))).toEqual([]);
});

test.each<[string, Partial<Alert>, readonly string[]]>([
  ["fires", {}, ["NoRoute none of 1 routes matches"]],
  ["goes on", { lastSeenAt: HOUR }, []],
  ["is acknowledged as it fires", { state: "acknowledged" }, []],
])("an alert without a route is noted when it %s", (_, alert, expected) => {
  expect(
    lines(decide([alertOf(alert)], { routes: [{ match: { rule: "other" }, receivers: ["team"] }] })),
  ).toEqual(expected);
});

test("an alert with a route is not noted as one without", () => {
  expect(lines(decide([alertOf()]))).toEqual(["FirstNotification team is notified (route)"]);
});

test("each reminder stands in the history; what is dropped for the same reason again does not", () => {
  const reminded = { entries: [entryOf("team", { ...notifiedAt(0), last: "RepeatIntervalElapsed" }, NOW)] };
  expect(lines(decide([alertOf({ lastSeenAt: HOUR })], reminded))).toEqual([
    "RepeatIntervalElapsed team is notified (route)",
  ]);
  const quiet = { entries: [entryOf("team", { ...notifiedAt(NOW - HOUR), last: "NothingNew" }, NOW)] };
  expect(lines(decide([alertOf()], quiet))).toEqual([]);
  const news = { entries: [entryOf("team", { ...notifiedAt(NOW - HOUR), last: "Reopened" }, NOW)] };
  expect(lines(decide([alertOf()], news))).toEqual(["NothingNew team (already notified)"]);
});

test("one message about a group names the alert that leads it, and only when it was last sent to this receiver counts", () => {
  const routes = [{ receivers: ["team", "mail"], groupBy: ["rule"], groupWait: "0s", groupInterval: "10m" }];
  const alerts = [alertOf(), alertOf({ id: "a2", queryName: "Delta", openedAt: 1 })];
  const key = JSON.stringify(["route 1", "crisis-spike"]);
  const flushes = [{ projectId: "p1", receiver: "mail", key, at: NOW - MINUTE }];
  const decided = decide(alerts, { routes, flushes });
  expect(lines(decided)).toEqual([
    "FirstNotification team is notified (route)",
    "FirstNotification team is notified (route, in the message about United, crisis-spike)",
    "HeldByGroup mail (groupInterval 10m)",
    "HeldByGroup mail (groupInterval 10m)",
  ]);
  expect(decided.pending.map(({ receiver, also }) => [receiver, also])).toEqual([["team", ["a2"]]]);
  expect(decide([alertOf()], { routes: [{ receivers: ["team"] }] }).pending[0]).not.toHaveProperty("also");
});

test("the time in which an alert is muted does not count towards its escalation", () => {
  const since = (silenced: readonly string[]) =>
    entriesIn(decide([alertOf()], { silenced })).map((entry) => entry.since);
  expect(since([])).toEqual([NOW]);
  expect(since(["crisis-spike"])).toEqual([undefined]);
});

import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import type { Alert } from "../../../../src/monitor/model/alert.ts";
import { audience } from "../../../../src/monitor/notify/decide/audience.ts";
import { RouteConfig, routeAlert, routeIncident } from "../../../../src/monitor/notify/decide/route.ts";
import { alertOf } from "../alert-of.ts";

const routes = (...given: Record<string, unknown>[]) =>
  given.map((route) => RouteConfig.parse({ receivers: ["team"], ...route }));

const receivers = (given: RouteConfig[], alert = alertOf()) => {
  const routing = routeAlert(given, alert);
  return routing.outcome === "Routed" ? routing.to.map(({ receiver }) => receiver) : routing.outcome;
};

test.each([
  [{}, true],
  [{ severity: "info" }, true],
  [{ severity: "warning" }, true],
  [{ severity: "critical" }, false],
  [{ query: "united" }, true],
  [{ query: "Uni*" }, true],
  [{ query: ["Delta", "101"] }, true],
  [{ query: "10" }, false],
  [{ query: "10*" }, false],
  [{ rule: "crisis-*" }, true],
  [{ rule: "*-share" }, false],
  [{ labels: { author: "bad*" } }, true],
  [{ labels: { author: "bad*", category: "*" } }, false],
  [{ labels: { toString: "*" } }, false],
  [{ severity: "warning", query: "Delta" }, false],
])("match %j on a warning of crisis-spike for United by badactor: %s", (match, fits) => {
  const alert = alertOf({ labels: { query: "United", author: "badactor" } });
  expect(receivers(routes({ match }), alert)).toEqual(fits ? ["team"] : "NoRoute");
});

test("the first route that matches decides", () => {
  const given = routes(
    { match: { severity: "critical" }, receivers: ["pager"] },
    { match: { query: "United" }, receivers: ["united"] },
    { receivers: ["everything"] },
  );
  expect(receivers(given)).toEqual(["united"]);
  expect(receivers(given, alertOf({ severity: "critical" }))).toEqual(["pager"]);
  expect(receivers(given, alertOf({ queryName: "Delta" }))).toEqual(["everything"]);
});

test("a route without receivers takes its alerts, notifies nobody and says so", () => {
  const given = routes({ name: "page only", match: { rule: "crisis-*" }, receivers: [] }, {});
  expect(routeAlert(given, alertOf())).toEqual({
    outcome: "NoRoute",
    by: "page only notifies nobody, on purpose",
  });
  expect(receivers(given, alertOf({ rule: "quiet" }))).toEqual(["team"]);
});

test("`continue` lets later routes add receivers, each notified once on the terms of the first", () => {
  const given = routes(
    { name: "urgent", receivers: ["pager", "team"], repeatEvery: "1h", continue: true },
    { receivers: ["team", "mail"], repeatEvery: "1d" },
    { receivers: ["never reached"] },
  );
  const routing = routeAlert(given, alertOf());
  expect(
    routing.outcome === "Routed" && routing.to.map((to) => [to.receiver, to.by, to.terms.repeatEveryMs]),
  ).toEqual([
    ["pager", "urgent", HOUR],
    ["team", "urgent", HOUR],
    ["mail", "route 2", DAY],
  ]);
});

test("no route is an outcome that says how many were tried", () => {
  expect(routeAlert(routes({ match: { query: "Delta" } }), alertOf())).toEqual({
    outcome: "NoRoute",
    by: "none of 1 routes matches",
  });
});

test("a route repeats every four hours and sends the end, unless it says otherwise", () => {
  expect(RouteConfig.parse({ receivers: ["team"] })).toEqual({
    match: {},
    receivers: ["team"],
    repeatEveryMs: 4 * HOUR,
    forgetAfterMs: DAY,
    sendResolved: true,
    group: null,
    routes: [],
    continue: false,
  });
  expect(RouteConfig.parse({ receivers: ["team"], repeatEvery: "never" }).repeatEveryMs).toBe(null);
});

test.each([
  [{ receivers: [] }, "receivers", "say of which alerts: add match"],
  [{ receivers: ["a"], repeatEvery: "often" }, "repeatEvery", `such as "4h", or "never"`],
  [{ receivers: ["a"], repeatEvery: "0s" }, "repeatEvery", `write "never"`],
  [{ receivers: ["a"], match: { severity: "fatal" } }, "match.severity", '"critical"'],
  [{ receivers: ["a"], match: { query: 5 } }, "match.query", `such as "United*"`],
  [{ receivers: ["a"], match: { brand: "x" } }, "match", "brand"],
  [{ receivers: ["a"], recievers: ["a"] }, "", "recievers"],
])("a fault in %j is reported at %s", (given, path, message) => {
  const issue = RouteConfig.safeParse(given).error?.issues[0];
  expect(issue?.path.join(".")).toBe(path);
  expect(issue?.message).toContain(message);
});

test("an incident goes to those of its own route first, then to those of each of its alerts", () => {
  const given = routes(
    { name: "urgent", match: { severity: "critical" }, receivers: ["pager", "team"], repeatEvery: "1h" },
    { name: "rest", match: { rule: "crisis-*" }, receivers: ["team", "mail"], repeatEvery: "1d" },
  );
  const routed = (alert: Partial<Alert>, ...members: Partial<Alert>[]) => {
    const routing = routeIncident(given, alertOf(alert), members.map(alertOf));
    return routing.outcome === "Routed"
      ? routing.to.map(({ receiver, by }) => `${receiver} by ${by}`)
      : routing.by;
  };
  expect(routed({ severity: "critical" }, {}, {})).toEqual([
    "pager by urgent",
    "team by urgent",
    "mail by rest",
  ]);
  expect(routed({ rule: "incident" }, {}, { rule: "quiet" })).toEqual(["team by rest", "mail by rest"]);
  expect(routed({ rule: "incident" }, { rule: "quiet" })).toBe("none of 2 routes matches");
});

test("all routes that notify nobody on purpose are named", () => {
  const nobody = { match: { rule: "crisis-*" }, receivers: [], continue: true };
  expect(routeAlert(routes({ name: "a", ...nobody }, { name: "b", ...nobody }), alertOf())).toEqual({
    outcome: "NoRoute",
    by: "a, b notifies nobody, on purpose",
  });
});

test("groups are told apart by the route and by query, rule, severity or a label", () => {
  const key = (groupBy: string[], alert = alertOf({ labels: { author: "ann" } })) => {
    const [given] = routes({ name: "outer", routes: [{ name: "inner", groupBy }] });
    const routing = routeAlert(given === undefined ? [] : [given], alert);
    return routing.outcome === "Routed" ? routing.to[0]?.terms.group?.key : undefined;
  };
  const { queryId, rule, severity } = alertOf();
  expect(key(["query", "rule", "severity", "author", "toString"])).toBe(
    JSON.stringify(["outer › inner", queryId, rule, severity, "ann", null]),
  );
});

test("an inner route takes from the route around it what it does not say", () => {
  const [outer] = routes({
    ...{ groupBy: ["rule"], groupWait: "1m", groupInterval: "10m", sendResolved: false, forgetAfter: "2h" },
    routes: [{}, { groupWait: "2m", groupInterval: "20m" }],
  });
  expect(outer?.routes[0]).toMatchObject({
    ...{ receivers: ["team"], sendResolved: false, forgetAfterMs: 2 * HOUR },
    group: { by: ["rule"], waitMs: MINUTE, intervalMs: 10 * MINUTE },
  });
  expect(outer?.routes[1]?.group).toEqual({ by: ["rule"], waitMs: 2 * MINUTE, intervalMs: 20 * MINUTE });
});

test("a route has receivers of its own, around it, or in each of its routes", () => {
  const faults = (route: unknown) =>
    RouteConfig.safeParse(route).error?.issues.map(({ path }) => path.join("."));
  expect(faults({})).toEqual([""]);
  expect(faults({ routes: [{ receivers: ["a"] }, {}, { routes: [{}] }] })).toEqual([
    "routes.1",
    "routes.2.routes.0",
  ]);
  expect(faults({ receivers: ["a"], routes: [{}] })).toBe(undefined);
  expect(RouteConfig.safeParse({}).error?.issues[0]?.message).toBe('"receivers" is missing');
  expect(faults({ receivers: [], routes: [{ receivers: ["a"] }] })).toBe(undefined);
});

test("receivers that were notified before and are no longer routed get the end and nothing else", () => {
  const to = audience(routeAlert(routes({}), alertOf()), ["old", "team", "old"]);
  expect(to.map(({ receiver, terms }) => [receiver, terms.routed])).toEqual([
    ["team", true],
    ["old", false],
  ]);
  expect(audience(routeAlert([], alertOf()), ["old"]).map(({ receiver }) => receiver)).toEqual(["old"]);
});

import { expect, test } from "vitest";
import { DAY, HOUR } from "../../../../src/lib/instant.ts";
import { audience } from "../../../../src/monitor/notify/decide/audience.ts";
import { RouteConfig, routeAlert } from "../../../../src/monitor/notify/decide/route.ts";
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

test("receivers that were notified before and are no longer routed get the end and nothing else", () => {
  const to = audience(routeAlert(routes({}), alertOf()), ["old", "team", "old"]);
  expect(to.map(({ receiver, terms }) => [receiver, terms.routed])).toEqual([
    ["team", true],
    ["old", false],
  ]);
  expect(audience(routeAlert([], alertOf()), ["old"]).map(({ receiver }) => receiver)).toEqual(["old"]);
});

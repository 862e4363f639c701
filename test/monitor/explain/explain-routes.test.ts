import { expect, test } from "vitest";
import { unusedRoutes } from "../../../src/monitor/explain/explain-routes.ts";
import { RouteConfig } from "../../../src/monitor/notify/decide/route.ts";
import { alertOf } from "../notify/alert-of.ts";

const told = (...routes: Record<string, unknown>[]) =>
  unusedRoutes(
    routes.map((route) => RouteConfig.parse(route)),
    alertOf({ rule: "crisis", severity: "warning" }),
  ).map(({ name, receivers, because }) => `${name} (${receivers.join(", ")}): ${because}`);

test("a route that does not match says what it wants; routes without a name are counted", () => {
  const routes = told(
    { match: { rule: "volume" }, receivers: ["a"] },
    { name: "second", match: { rule: "other" }, receivers: ["b"], routes: [{ receivers: ["c"] }] },
  );
  expect(routes).toEqual([
    expect.stringMatching(/^route 1 \(a\): it wants .*volume/),
    expect.stringMatching(/^second \(b, c\): it wants .*other/),
  ]);
});

test("the first that takes the alert keeps it from those below, unless it continues", () => {
  expect(told({ receivers: ["a"] }, { receivers: ["b"] })).toEqual([
    'route 2 (b): the route route 1 before it takes the alert (without "continue: true")',
  ]);
  expect(told({ receivers: ["a"], continue: true }, { receivers: ["b"] })).toEqual([]);
});

test("a route whose inner route takes the alert is not used itself; one whose inner routes do not is", () => {
  const inner = (rule: string) => ({
    name: "outer",
    receivers: ["a"],
    routes: [{ match: { rule }, receivers: ["b"] }],
  });
  expect(told(inner("crisis"))).toEqual(["outer (a): a route inside it takes the alert"]);
  expect(told(inner("volume"))).toEqual([expect.stringMatching(/^outer › route 1 \(b\): it wants/)]);
});

test("of each route that does not take an alert, the first matcher that failed is named", () => {
  const routes = [
    { name: "night", match: { severity: "critical" }, receivers: ["on-call"] },
    { name: "brand", match: { query: "Other*" }, receivers: ["other"] },
    { name: "team", match: { labels: { team: "air" } }, receivers: ["air"] },
    { name: "not mine", match: { not: { rule: "wave" } }, receivers: ["rest"] },
    {
      name: "office",
      receivers: ["comms"],
      routes: [{ name: "vip", match: { rule: "vip" }, receivers: ["boss"] }],
    },
    { name: "late", receivers: ["archive"] },
  ].map((route) => RouteConfig.parse(route));
  const alert = { severity: "warning", queryId: "1", queryName: "Acme", rule: "wave", labels: {} } as const;
  expect(unusedRoutes(routes, alert)).toEqual([
    {
      name: "night",
      receivers: ["on-call"],
      because: "it wants severity critical or higher, and it is warning",
    },
    { name: "brand", receivers: ["other"], because: "it wants query Other*, and it is Acme" },
    { name: "team", receivers: ["air"], because: "it wants team air, and it is without it" },
    { name: "not mine", receivers: ["rest"], because: "it wants not rule wave" },
    { name: "office › vip", receivers: ["boss"], because: "it wants rule vip, and it is wave" },
    {
      name: "late",
      receivers: ["archive"],
      because: 'the route office before it takes the alert (without "continue: true")',
    },
  ]);
});

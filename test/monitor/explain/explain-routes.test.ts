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

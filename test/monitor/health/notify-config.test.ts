import { expect, test } from "vitest";
import { createNotifyConfig } from "../../../src/monitor/health/notify-config.ts";
import { OperatorConfig } from "../../../src/monitor/health/operators.ts";
import { OWN_QUERY } from "../../../src/monitor/model/query.ts";

const own = { quietHours: null, readByProgram: false };
const throttle = { most: 5, everyMs: 3_600_000 };
const RECEIVERS = [
  { name: "comms", throttle, ...own },
  { name: "on-call", throttle: null, ...own },
] as never;
const ROUTE = { name: "all", match: {}, receivers: ["comms"], routes: [] } as never;
const CONFIG = { routes: [ROUTE], receivers: RECEIVERS, inhibitions: [], escalations: [], rotations: [] };
const operator = OperatorConfig.parse({ receivers: ["on-call"], repeatEvery: "2h", flood: 7 });

test("alerts about Earshot have routes of their own before all others, and end there", () => {
  const { routes } = createNotifyConfig({ ...CONFIG, operator });
  expect(routes.map(({ match, receivers }) => [match.labels?.["receiver"], receivers])).toEqual([
    [["comms"], ["on-call"]],
    [["on-call"], ["comms"]],
    [undefined, ["on-call"]],
    [undefined, ["comms"]],
  ]);
  for (const route of routes.slice(0, 3))
    expect(route).toMatchObject({
      ...{ name: "operator", repeatEveryMs: 7_200_000, sendResolved: true, continue: false, group: null },
      match: { query: [OWN_QUERY.queryId] },
    });
  expect(routes[3]).toBe(ROUTE);
});

test("a receiver that fails is not notified about another one", () => {
  const { routes } = createNotifyConfig({ ...CONFIG, operator }, new Set(["on-call"]));
  // Both would fail: the one that is named is tried.
  expect(routes.slice(0, 3).map(({ receivers }) => receivers)).toEqual([["on-call"], ["comms"], ["comms"]]);
});

test("decisions know the limits of receivers and rules", () => {
  const config = createNotifyConfig({ ...CONFIG, operator });
  expect(config.floodAt).toBe(7);
  expect(config.throttled).toEqual([{ name: "comms", throttle }]);
  expect(config.receiver("on-call")).toEqual({ name: "on-call", throttle: null, ...own });
  expect(config.receiver("nobody")).toBeUndefined();
  const without = createNotifyConfig(CONFIG);
  expect([without.floodAt, without.routes[0]?.repeatEveryMs]).toEqual([null, null]);
});

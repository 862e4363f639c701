import { expect, test } from "vitest";
import { chooseOperators } from "../../../src/monitor/health/operators.ts";

const ROUTES = [
  { match: { severity: "critical" }, receivers: ["on-call", "tickets"] },
  { match: {}, receivers: ["comms"] },
];
const ALL = { match: {}, receivers: ["comms"] };
const NAMES = ["comms", "on-call", "tickets"];

test.each<[string, Parameters<typeof chooseOperators>, string[]]>([
  ["those that are named", [["comms"], ROUTES, NAMES, new Set()], ["comms"]],
  ["those of critical routes", [undefined, ROUTES, NAMES, new Set()], ["on-call", "tickets"]],
  [
    "those of critical routes, however deep",
    [undefined, [{ ...ALL, routes: [{ ...ALL, routes: ROUTES }] }], NAMES, new Set()],
    ["on-call", "tickets"],
  ],
  ["the first, where no route is for critical alerts", [undefined, [], NAMES, new Set()], ["comms"]],
  [
    "the one of a critical route",
    [undefined, [{ match: { severity: "critical" }, receivers: ["on-call"] }], NAMES, new Set()],
    ["on-call"],
  ],
  ["the first, where nobody works", [undefined, [], NAMES, new Set(NAMES)], ["comms"]],
  [
    "the first of those that work, where none of the named does",
    [["tickets"], ROUTES, NAMES, new Set(["tickets"])],
    ["comms"],
  ],
  ["those that work", [undefined, ROUTES, NAMES, new Set(["on-call"])], ["tickets"]],
  [
    "another one, where none of them works",
    [["on-call"], ROUTES, NAMES, new Set(["on-call", "comms"])],
    ["tickets"],
  ],
  [
    "those that are named, where nobody works",
    [["on-call"], ROUTES, ["on-call"], new Set(["on-call"])],
    ["on-call"],
  ],
])("operators are %s", (_name, given, expected) => {
  expect(chooseOperators(...given)).toEqual(expected);
});

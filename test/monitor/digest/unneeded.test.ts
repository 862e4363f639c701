import { expect, test } from "vitest";
import { decideChange, summarizeUnneeded } from "../../../src/monitor/digest/unneeded.ts";
import type { SentAlert } from "../../../src/monitor/model/digest.ts";

let id = 0;
const sent = (given: Partial<SentAlert> = {}): SentAlert => ({
  receiver: "comms",
  rule: "influential-negative",
  alertId: `a${id++}`,
  messages: 1,
  isOver: true,
  acted: false,
  count: null,
  followers: 7_000,
  ...given,
});

test.each([
  ["two are too few", [sent(), sent()], { outcome: "TooFew" }],
  ["nobody acted on any", [sent(), sent({ messages: 2 }), sent()], { outcome: "KeepOnConsole", spared: 4 }],
  [
    "those on which somebody acted were larger",
    [sent(), sent({ followers: 9_000 }), sent(), sent({ followers: 50_000, acted: true })],
    { outcome: "RaiseFollowers", to: 9_001, spared: 3 },
  ],
  [
    "the same of counts",
    [
      sent({ count: 12, followers: null }),
      sent({ count: 20, followers: null }),
      sent({ count: 15, followers: null }),
      sent({ count: 21, followers: null, acted: true }),
    ],
    { outcome: "RaiseCount", to: 21, spared: 3 },
  ],
  [
    "those on which somebody acted were as small",
    [sent(), sent(), sent(), sent({ followers: 7_000, acted: true })],
    { outcome: "NothingPartsThem" },
  ],
  [
    "what still goes on may yet be needed",
    [sent(), sent(), sent(), sent({ isOver: false, followers: 100 })],
    { outcome: "NothingPartsThem" },
  ],
] as const)("%s", (_, alerts, expected) => {
  expect(decideChange(alerts)).toEqual(expected);
});

test("the summary has each receiver, each rule, and the change as it is written", () => {
  const both = ["comms", "crisis"].map((receiver) => sent({ receiver, alertId: "one" }));
  const view = summarizeUnneeded(
    [...both, sent(), sent(), sent({ rule: "other", acted: true })],
    (rule) => rule,
  );
  expect(view?.receivers).toEqual([
    { receiver: "comms", messages: 4, unneeded: 3 },
    { receiver: "crisis", messages: 1, unneeded: 1 },
  ]);
  expect(view?.rules).toEqual([
    {
      rule: "influential-negative",
      title: "influential-negative",
      messages: 4,
      unneeded: 4,
      remedy: expect.stringContaining(
        "match: { rule: influential-negative }, receivers: [] } would have spared all 4",
      ),
    },
  ]);
});

test("without unneeded messages there is no summary", () => {
  expect(summarizeUnneeded([sent({ acted: true }), sent({ isOver: false })], (rule) => rule)).toBeNull();
});

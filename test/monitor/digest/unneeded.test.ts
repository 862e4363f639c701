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

test("half of them have to be spared, and one that still goes on counts as needed", () => {
  const few = [
    sent({ followers: 1 }),
    sent({ followers: 2 }),
    sent({ followers: 9 }),
    sent({ followers: 9 }),
  ];
  const acted = sent({ followers: 5, acted: true });
  expect(decideChange([...few, acted])).toEqual({ outcome: "RaiseFollowers", to: 3, spared: 2 });
  expect(decideChange([...few, sent({ followers: 9 }), acted])).toEqual({ outcome: "NothingPartsThem" });
  expect(decideChange([...few, sent({ followers: 2, isOver: false })])).toEqual({
    outcome: "NothingPartsThem",
  });
  // The smallest of those on which somebody acted is the limit.
  expect(decideChange([...few, acted, sent({ followers: 50, acted: true })])).toMatchObject({ to: 3 });
  // One without a count: counts of the others say nothing.
  const counted = few.map((one, index) => ({ ...one, count: index === 0 ? null : 1 }));
  expect(decideChange([...counted, { ...acted, count: 2 }])).toMatchObject({ outcome: "RaiseFollowers" });
});

test("those with the most messages that nobody needed come first, and those without any are left out", () => {
  const summary = summarizeUnneeded(
    [
      sent({ receiver: "few", rule: "a" }),
      sent({ receiver: "many", rule: "b", messages: 3 }),
      sent({ receiver: "none", rule: "c", acted: true }),
    ],
    (rule) => rule,
  );
  expect(summary?.receivers.map(({ receiver, unneeded }) => [receiver, unneeded])).toEqual([
    ["many", 3],
    ["few", 1],
  ]);
  expect(summary?.rules.map(({ rule, unneeded }) => [rule, unneeded])).toEqual([
    ["b", 3],
    ["a", 1],
  ]);
});

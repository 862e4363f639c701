import { expect, test } from "vitest";
import { type ActualWorld, compareWorlds, type ExpectedWorld, mostByChance } from "./ledger.ts";

const EXPECTED: ExpectedWorld = {
  mentions: new Map([
    ["Acme m1", "neutral"],
    ["Acme m2", "negative"],
    ["Acme m3", "neutral"],
  ]),
  counts: new Map([
    ["all Acme", 3],
    ["negative Acme", 1],
  ]),
  alerts: ["unhappy Acme ann"],
  sent: ["#unhappy ann", "team ann"],
  may: ["on-call ann"],
};

const NOTHING_WRONG: ActualWorld = {
  mentions: [...EXPECTED.mentions].map(([key, sentiment]) => ({ key, sentiment })),
  counts: EXPECTED.counts,
  alerts: EXPECTED.alerts,
  sent: [
    { key: "#unhappy ann", identity: null },
    { key: "team ann", identity: "<1@acme.example>" },
  ],
  acceptedWithoutAnswer: 0,
  repeatsExpected: 0,
  repeatedBeside: 0,
  happened: new Map([["worker", 3]]),
  calls: { most: 30, limit: 30 },
};

test("a world in which everything came through has nothing wrong in any line", () => {
  expect(compareWorlds(EXPECTED, NOTHING_WRONG).filter(({ wrong, broken }) => wrong > 0 || broken)).toEqual(
    [],
  );
});

const FAULTS: readonly (readonly [string, Partial<ActualWorld>, Record<string, number>])[] = [
  [
    "a mention that is not there, although it was counted",
    { mentions: NOTHING_WRONG.mentions.slice(1) },
    { "mentions lost": 1 },
  ],
  [
    "a mention that is there twice",
    { mentions: [...NOTHING_WRONG.mentions, { key: "Acme m1", sentiment: "neutral" }] },
    { "mentions stored twice": 1 },
  ],
  [
    "a mention of another world",
    { mentions: [...NOTHING_WRONG.mentions, { key: "Acme m9", sentiment: "neutral" }] },
    { "mentions that were never written": 1 },
  ],
  [
    "a change that was not seen",
    { mentions: NOTHING_WRONG.mentions.map((one) => ({ ...one, sentiment: "neutral" })) },
    { "changes of mentions missed": 1 },
  ],
  [
    "counts that are too high in one series and too low in another",
    {
      counts: new Map([
        ["all Acme", 5],
        ["negative Acme", 0],
      ]),
    },
    { "mentions counted twice": 2, "mentions not counted": 1 },
  ],
  ["an alert that never came", { alerts: [] }, { "alerts lost": 1 }],
  [
    "an alert that came twice, and one without a reason",
    { alerts: ["unhappy Acme ann", "unhappy Acme ann", "unhappy Acme bob"] },
    { "alerts twice": 1, "alerts without a reason": 1 },
  ],
  [
    "a reader without a required message, and one with a message without a reason",
    {
      sent: [
        { key: "team ann", identity: "<1@acme.example>" },
        { key: "team bob", identity: "<2@acme.example>" },
      ],
    },
    { "notifications lost": 1, "notifications without a reason": 1 },
  ],
  [
    "a message that is in a channel twice",
    { sent: [...NOTHING_WRONG.sent, { key: "#unhappy ann", identity: null }] },
    { "messages seen twice": 1 },
  ],
  [
    "a mail that came again as another mail",
    { sent: [...NOTHING_WRONG.sent, { key: "team ann", identity: "<2@acme.example>" }] },
    { "messages seen twice": 1 },
  ],
  ["a call too many", { calls: { most: 31, limit: 30 } }, { "calls over the budget in any window": 1 }],
];

test.each(FAULTS)("%s breaks its limit and no other", (_, fault, wrong) => {
  const broken = compareWorlds(EXPECTED, { ...NOTHING_WRONG, ...fault }).filter((line) => line.broken);
  expect(Object.fromEntries(broken.map((line) => [line.what, line.wrong]))).toEqual(wrong);
});

test("a mail comes again only if the mail server accepted it without an answer", () => {
  const sent = [...NOTHING_WRONG.sent, { key: "team ann", identity: "<1@acme.example>" }];
  const brokenWith = (acceptedWithoutAnswer: number) =>
    compareWorlds(EXPECTED, { ...NOTHING_WRONG, sent, acceptedWithoutAnswer })
      .filter((line) => line.broken)
      .map(({ what }) => what);
  expect([brokenWith(0), brokenWith(1)]).toEqual([["mails that came again, and need not"], []]);
});

test("every notification has a reason, and is sent once", () => {
  const once = [...NOTHING_WRONG.sent, { key: "on-call ann", identity: "<3@acme.example>" }];
  const brokenIn = (sent: ActualWorld["sent"]) =>
    compareWorlds(EXPECTED, { ...NOTHING_WRONG, sent })
      .filter((line) => line.broken)
      .map(({ what }) => what);
  expect(brokenIn(once)).toEqual([]);
  expect(brokenIn([...once, { key: "on-call ann", identity: null }])).toEqual(["messages seen twice"]);
});

test("a kind of fault that never happened fails the run", () => {
  const happened = new Map([
    ["worker", 3],
    ["429", 0],
  ]);
  const broken = compareWorlds(EXPECTED, { ...NOTHING_WRONG, happened }).filter((line) => line.broken);
  expect(broken).toMatchObject([
    { what: "kinds of faults that never happened", wrong: 1, examples: ["429"] },
  ]);
});

test("as many mails may come again as the theory has in 999 runs of 1,000, and no other message", () => {
  const crowd = Array.from({ length: 1_000 }, (_, index) => `team author${index}`);
  const expected = { ...EXPECTED, sent: crowd };
  const broken = (n: number, identity: (key: string) => string | null) => {
    const sent = [...crowd, ...crowd.slice(0, n)].map((key) => ({ key, identity: identity(key) }));
    const found = { ...NOTHING_WRONG, sent, repeatsExpected: 0.2 };
    return compareWorlds(expected, found).flatMap(({ what, broken }) =>
      broken && /again|twice/.test(what) ? [what] : [],
    );
  };
  const mails = [0, 1, 2, 3, 4].map((n) => broken(n, (key) => `<${key}>`).length);
  expect(mails).toEqual([0, 0, 0, 0, 1]);
  expect(broken(1, () => null)).toEqual(["messages seen twice"]);
});

test.each([
  [0, 0],
  [0.001, 0],
  [0.04, 1],
  [0.2, 3],
  [1, 5],
  [10, 21],
])(
  "of what comes %d times on average, a sound run has at most %d, but for one in a thousand",
  (mean, most) => {
    expect(mostByChance(mean)).toBe(most);
  },
);

import { describe, expect, test } from "vitest";
import type { FeedRead, ListedDocument } from "../../src/feeds/common/define-feed.ts";
import { type DonePart, decidePartEnd, decideReading } from "../../src/feeds/run/decide-part-end.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/instant.ts";

const now = Date.UTC(2026, 10, 23, 12);
const everyMs = 10 * MINUTE;
const document: ListedDocument = { coversMs: HOUR, oldestAt: now - HOUR, usualLength: 900 };
const NOTHING = { items: 0, added: 0, matched: 0, known: 0, left: 0, waiting: 0 };

interface Fetched extends Partial<Omit<DonePart, "read" | "stored">> {
  readonly read?: Partial<FeedRead>;
  readonly stored?: Partial<DonePart["stored"]>;
  readonly failures?: number;
}

function part({ read, stored, failures = 0, ...more }: Fetched = {}): DonePart {
  return {
    leased: {
      ...{ key: "k", lease: "l", state: {}, failures, everyMs, reading: null, readings: 0, at: now },
    },
    ...{ before: { cursor: 1, validators: { a: "1" } }, state: { cursor: 2, validators: { a: "2" } } },
    read: { items: [], deletes: [], cursor: 2, ...read },
    ...{ readAt: now, checks: [], languages: { texts: 0, other: new Map() }, room: 2_000 },
    ...{ stored: { ...NOTHING, ...stored }, isLast: false, chance: 0.5 },
    ...more,
  };
}
const end = (fetched: Fetched = {}, every = everyMs, isPushed = false) =>
  decidePartEnd(part(fetched), every, isPushed);

describe("whether items are missing before a document", () => {
  const before = { readAt: now - 2 * HOUR };
  const gap = {
    ...{ from: now - 2 * HOUR, to: now - HOUR },
    reason:
      "none of the items of its document was known: it has turned over between two fetches, and items that it had meanwhile are missing",
  };
  test.each<[string, Fetched, object]>([
    ["none is known", { before, stored: { items: 5 } }, { gap, everyMs: 5 * MINUTE }],
    ["one is known", { before, stored: { items: 5, known: 1 } }, { gap: null, everyMs }],
    ["nothing was read before", { before: {}, stored: { items: 5 } }, { gap: null, everyMs }],
    [
      "what was stored of it cannot be read",
      { before: { readAt: "x" }, stored: { items: 5 } },
      { gap: null, everyMs },
    ],
    [
      "it breaks off",
      { before, stored: { items: 5 }, read: { problem: "it breaks off" } },
      { gap: null, everyMs },
    ],
    [
      "only what one that broke off has brought is known",
      { before: { ...before, unproven: 3 }, stored: { items: 5, known: 3 } },
      { gap, everyMs: 5 * MINUTE },
    ],
    [
      "it is read more often since a gap, and slowly back",
      { before: { ...before, readEveryMs: 5 * MINUTE }, stored: { items: 5, known: 1 } },
      { gap: null, everyMs: 6 * MINUTE },
    ],
  ])("%s", (_name, { read, ...more }, expected) => {
    expect(decideReading(part({ read: { document, ...read }, ...more }))).toEqual(expected);
  });

  test("a document that is the same says nothing new, and is read as often as before", () => {
    expect(decideReading(part({ before, stored: { items: 5 } }))).toEqual({ gap: null, everyMs });
    expect(decideReading(part({ before: { ...before, readEveryMs: MINUTE } })).everyMs).toBe(MINUTE);
  });
});

test("a feed that is configured to be read more often than it was is read so, also while its document is the same", () => {
  const before = { readAt: now - HOUR, readEveryMs: 2 * everyMs };
  expect(decideReading(part({ before })).everyMs).toBe(everyMs);
});

describe("how a part of a fetch ends", () => {
  test("with the place to which it has read, and when it was", () => {
    expect(end({ stored: { items: 5, added: 4, matched: 3 } })).toMatchObject({
      ...{ state: { cursor: 2, validators: { a: "2" }, readAt: now }, nextInMs: everyMs },
      ...{ problem: null, goesOn: false, leftOut: null, items: 4, matched: 3 },
    });
  });

  test("at the place before, if items of it are left, and what is left is read though the document is the same", () => {
    const { state, goesOn, leftOut } = end({ stored: { items: 2_000, left: 1_200 }, read: { more: true } });
    expect(state).toEqual({ cursor: 1, validators: {}, readAt: now });
    expect(goesOn).toBe(false);
    expect(leftOut).toBe("1,200 of its items wait for the next fetch: at most 2,000 are stored at once");
    expect(end({ stored: { left: 1 } }).state).toMatchObject({ cursor: 1, validators: {} });
  });

  test("without what the last fetches left unproven, once it is read whole, also where items are left", () => {
    const before = { cursor: 1, validators: {}, readAt: 5, unproven: 7, readEveryMs: MINUTE };
    expect(end({ before, stored: { left: 3 } }).state).toEqual({ cursor: 1, validators: {}, readAt: now });
    expect(end({ before }).state).toEqual({ cursor: 2, validators: { a: "2" }, readAt: now });
  });

  test("at its place, and what waits is read again though the document is the same", () => {
    expect(end({ stored: { waiting: 1 } }).state).toEqual({ cursor: 2, validators: {}, readAt: now });
    expect(end({ stored: { left: 1, waiting: 1 } }).state).toMatchObject({ validators: {} });
  });

  test.each<[string, Fetched, boolean]>([
    ["there is more", { read: { more: true } }, true],
    ["there is more, and nothing was said of it", {}, false],
    ["there is no more", { read: { more: false } }, false],
    ["there is more, and no other part may follow", { read: { more: true }, isLast: true }, false],
    ["there is more, and room for one", { read: { more: true }, stored: { items: 9 }, room: 10 }, true],
    ["there is more, and no room", { read: { more: true }, stored: { items: 10 }, room: 10 }, false],
    ["there is more, and items are left", { read: { more: true }, stored: { left: 1 } }, false],
  ])("%s: whether the fetch goes on", (_name, fetched, goesOn) => {
    expect(end(fetched).goesOn).toBe(goesOn);
  });

  test.each<[string, Fetched, string | null]>([
    ["nothing", { read: { leftOut: 0 } }, null],
    ["older items", { read: { leftOut: 1_500 } }, "1,500 older items of its document were left out"],
    ["one older item", { read: { leftOut: 1 } }, "1 older items of its document were left out"],
    [
      "what a full fetch has still to ask for",
      { read: { more: true }, stored: { items: 10 }, room: 10 },
      "other items of it wait for the next fetch: at most 2,000 are stored at once",
    ],
    ["what a fetch goes on to ask for", { read: { more: true } }, null],
    ["a full fetch that has no more", { stored: { items: 10 }, room: 10 }, null],
    [
      "items, and older ones",
      { stored: { left: 1 }, read: { leftOut: 2 } },
      "1 of its items wait for the next fetch: at most 2,000 are stored at once; 2 older items of its document were left out",
    ],
  ])("leaves out %s", (_name, fetched, leftOut) => {
    expect(end(fetched).leftOut).toBe(leftOut);
  });

  test("with a problem: later each time, with what it brought unproven, and the time of the last whole reading", () => {
    const before = { readAt: 5, unproven: 2 };
    const failed = end({
      before,
      failures: 1,
      read: { problem: "it breaks off" },
      stored: { added: 3, items: 9 },
    });
    expect(failed).toMatchObject({ problem: "it breaks off", nextInMs: 20 * MINUTE * (1 - 0.5 / 4) });
    expect(failed.state).toEqual({ cursor: 2, validators: { a: "2" }, readAt: 5, unproven: 5 });
    const empty = end({ read: { problem: "it breaks off" } });
    expect(empty.state).toEqual({ cursor: 2, validators: { a: "2" }, readAt: null });
    expect(empty.nextInMs).toBe(10 * MINUTE * (1 - 0.5 / 4));
  });

  test("later, where its server wants to be left alone", () => {
    expect(end({ read: { pauseMs: DAY } }).nextInMs).toBe(DAY);
  });

  test("keeps how often it is read, where that is not as configured", () => {
    expect(end({}, MINUTE).state).toHaveProperty("readEveryMs", MINUTE);
    expect(end({}, MINUTE).nextInMs).toBe(MINUTE);
    expect(end().state).not.toHaveProperty("readEveryMs");
  });
});

describe("a feed that its hub pushes", () => {
  test("is read seldom, but before its document turns over", () => {
    expect(end({ read: { document } }, everyMs, true).nextInMs).toBe(20 * MINUTE);
    expect(end({ read: { document } }, everyMs, false).nextInMs).toBe(everyMs);
    expect(end({}, everyMs, true).nextInMs).toBe(HOUR);
  });

  test("keeps what its document covers, as one that is the same does not say it again", () => {
    expect(end({ read: { document } }, everyMs, true).state).toHaveProperty("coversMs", HOUR);
    const same = end({ before: { coversMs: 90 * MINUTE } }, everyMs, true);
    expect(same.state).toHaveProperty("coversMs", 90 * MINUTE);
    expect(same.nextInMs).toBe(30 * MINUTE);
    expect(end({ before: { coversMs: HOUR }, read: { document } }).state).not.toHaveProperty("coversMs");
    expect(end({}, everyMs, true).state).not.toHaveProperty("coversMs");
  });
});

describe("what people should know of a feed that was fetched", () => {
  const teaser = { ...document, usualLength: 200 };
  test("where its document is the same", () => {
    expect(end().notes).toEqual({ moved: null, hub: null });
  });

  test("where it is as it should be", () => {
    expect(end({ read: { document } }).notes).toEqual({
      ...{ moved: null, hub: null, teaser: null, language: null },
      covers: "its document covers 1h, and is read every 10m",
    });
    expect(end({ read: { document: { ...document, coversMs: null } } }).notes).toMatchObject({
      covers: null,
    });
  });

  test("where it has moved, is pushed, turns over fast, has excerpts, and declares another language", () => {
    const languages = { texts: 4, other: new Map([["en de", 4]]) };
    const movedTo = `https://new.example/${"x".repeat(500)}`;
    expect(end({ read: { document: teaser }, languages, movedTo }, 5 * MINUTE, true).notes).toEqual({
      moved: `its address has moved for good, to ${movedTo.slice(0, 300)}: write that into earshot.yaml`,
      hub: "its hub pushes what is new; besides, it is read every 20m",
      covers: "its document covers 1h, and is read every 20m",
      teaser: "a teaser feed: its texts have about 200 characters, and words behind them are not seen",
      language: "it declares the language en, and 4 of 4 texts are de: what the texts are counts",
    });
    expect(end({ read: { document: teaser } }, 5 * MINUTE).notes).toMatchObject({
      covers: "its document covers 1h, and is read every 5m (and not every 10m, as it turns over fast)",
    });
  });
});

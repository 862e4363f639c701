import { describe, expect, test } from "vitest";
import { nextVersion, storedVersion } from "../../../src/listening-api/arrive/item-versions.ts";
import { withCategoryJudgements } from "../../../src/listening-api/records/category-judgement.ts";
import { withSentiment } from "../../../src/listening-api/records/judgement.ts";
import type { CurrentMention } from "../../../src/listening-api/store/current-mentions.ts";
import { mentionVersion, resourceId, T0 } from "../fixture.ts";

const QUERY = { id: 1, name: "Alpha" };

describe("of a text of which not all may be stored", () => {
  const MOST = 500;
  const stored = (text: string, matchAt: number, storedCharacters = MOST) => {
    const line = { id: "one", brands: [], text, date: T0 };
    const keys = { idKey: "one", contentKey: null, editedEveryMs: 0, nativeId: "1" };
    const item = { ...keys, line, storedCharacters };
    return storedVersion(item, QUERY, matchAt, T0).record.snippet ?? "";
  };

  test("a match near its beginning keeps the beginning, without a sign in front", () => {
    const text = `${"a".repeat(100)}brand${"b".repeat(900)}`;
    expect(stored(text, 100)).toBe(`${text.slice(0, MOST - 1)}…`);
    // The last match that has room for what is said about it.
    expect(stored(text, MOST - 200)).toBe(`${text.slice(0, MOST - 1)}…`);
  });

  test("a match further on shows what is around it, between two signs that something is left out", () => {
    const text = `${"a".repeat(800)}brand${"b".repeat(900)}`;
    expect(stored(text, 800)).toBe(`…${"a".repeat(200)}brand${"b".repeat(MOST - 207)}…`);
  });

  test("a match near its end has a sign in front alone", () => {
    const text = `${"a".repeat(800)}brand`;
    expect(stored(text, 800)).toBe(`…${"a".repeat(200)}brand`);
  });

  test("what is left out is two hundred characters before the match, and nothing where all of it may be stored", () => {
    const text = `${"a".repeat(301)}brand${"b".repeat(900)}`;
    expect(stored(text, 301)).toBe(`…${text.slice(101, 101 + MOST - 2)}…`);
    const whole = `${"a".repeat(400)}brand`.padEnd(MOST, "b");
    expect(stored(whole, 400)).toBe(whole);
    // The rest fits to the last character.
    const fitting = `${"a".repeat(800)}brand`.padEnd(MOST + 599, "b");
    expect(stored(fitting, 800)).toBe(`…${fitting.slice(600)}`);
  });

  test("one that matches nowhere in its text, and one of which little may be stored, begin at their beginning", () => {
    const text = `${"a".repeat(50)}brand${"b".repeat(900)}`;
    expect(stored(text, Number.POSITIVE_INFINITY)).toBe(`${text.slice(0, MOST - 1)}…`);
    expect(stored(text, 50, 100)).toBe(`${text.slice(0, 99)}…`);
  });

  test("no part begins or ends inside a character of two units", () => {
    for (const word of ["brand", "abrand"]) {
      const text = `${"😀".repeat(400)}${word}${"😀".repeat(400)}`;
      const part = stored(text, text.indexOf("brand"));
      expect(part).toMatch(/^…(😀)+a?brand(😀)+…$/u);
      expect(part.length).toBeLessThanOrEqual(MOST);
    }
  });
});

test("an author's change keeps what people said of categories, beside what is said of the new text", () => {
  const { record, ...before } = mentionVersion({ queryId: 1, resourceId: resourceId(1) }, { added: T0 });
  const { status: _, ...fields } = record;
  const judged = withCategoryJudgements({ classifications: [{ classifierId: "emotions", labelId: "joy" }] }, [
    { id: 7, isIn: false, by: "people" },
  ]);
  const current: CurrentMention = {
    ...{ ...before, queryId: 1, resourceId: resourceId(1), tagIds: [], fullText: null },
    ...{ backfilled: false, twitterLikeCount: null, fields: { ...fields, ...judged } },
  };
  const own = { classifierId: "emotions", labelId: "anger" };
  const after = mentionVersion(
    { queryId: 1, resourceId: resourceId(1), classifications: [own], status: null },
    { added: T0 },
  );
  const { classifications, status } = nextVersion(current, after, T0).record;
  expect(classifications).toEqual([own, expect.objectContaining({ classifierId: "category:people:7" })]);
  // What was not known is empty.
  expect(status).toBeNull();
});

test("an author's change keeps what people said, and a place and a sentiment of which they said nothing are new", () => {
  const version = (fields: object) =>
    mentionVersion({ queryId: 1, resourceId: resourceId(1), ...fields }, { added: T0 });
  const kept = (before: object, after: object) => {
    const { record, ...rest } = version(before);
    const current: CurrentMention = {
      ...{ ...rest, queryId: 1, resourceId: resourceId(1), tagIds: [], fullText: null },
      ...{ backfilled: false, twitterLikeCount: null, fields: { ...record } },
    };
    const { sentiment, city, countryCode } = nextVersion(current, version(after), T0).record;
    return { sentiment, city, countryCode };
  };
  const analysed = { ...withSentiment({}, "negative", "local") };
  expect(kept({ sentiment: "negative" }, { sentiment: "positive" }).sentiment).toBe("negative");
  expect(kept(analysed, { sentiment: "positive" }).sentiment).toBe("positive");
  const bonn = { city: "Bonn", countryCode: "DEU" };
  expect(kept(bonn, {})).toMatchObject(bonn);
  expect(kept(bonn, { countryCode: "GBR" })).toMatchObject({ city: null, countryCode: "GBR" });
});

test("`updated` of a version moves forward, also where the clock is behind the version before", () => {
  const { record, ...before } = mentionVersion({ queryId: 1, resourceId: resourceId(1) }, { added: T0 });
  const current: CurrentMention = {
    ...{ ...before, queryId: 1, resourceId: resourceId(1), updated: T0 + 60_000 },
    ...{ backfilled: false, tagIds: [], fullText: null, twitterLikeCount: null, fields: { ...record } },
  };
  const after = mentionVersion({ queryId: 1, resourceId: resourceId(1), snippet: "new" }, { added: T0 });
  for (const [at, updated] of [
    [T0, T0 + 60_001],
    [T0 + 60_000, T0 + 60_001],
    [T0 + 90_000, T0 + 90_000],
  ] as const) {
    const next = nextVersion(current, after, at);
    expect(next).toMatchObject({ version: 2, added: T0, updated });
    expect(Date.parse(next.record.updated)).toBe(updated);
  }
});

import { describe, expect, test } from "vitest";
import { nextVersion, storedVersion } from "../../../src/listening-api/arrive/item-versions.ts";
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

  test("no part begins or ends inside a character of two units", () => {
    for (const word of ["brand", "abrand"]) {
      const text = `${"😀".repeat(400)}${word}${"😀".repeat(400)}`;
      const part = stored(text, text.indexOf("brand"));
      expect(part).toMatch(/^…(😀)+a?brand(😀)+…$/u);
      expect(part.length).toBeLessThanOrEqual(MOST);
    }
  });
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

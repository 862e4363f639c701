import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalUrl } from "../../src/feeds/common/canonical-url.ts";
import type { FeedItem } from "../../src/feeds/common/define-feed.ts";
import { decideDate, readFeedDate } from "../../src/feeds/common/feed-date.ts";
import { readAgo } from "../../src/feeds/common/local-date.ts";
import { askedPause } from "../../src/feeds/common/rate-limit.ts";
import { textOfHtml } from "../../src/feeds/common/text-of-html.ts";
import { CIRCUIT_OPENS_AT, decideNext, nextCheckMs } from "../../src/feeds/run/decide-next.ts";
import { feedStatus } from "../../src/feeds/run/feed-status.ts";
import { toArrived } from "../../src/feeds/run/to-arrived.ts";
import type { FeedRow } from "../../src/feeds/store/feeds.ts";
import { monotonicMs } from "../../src/lib/clock.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/instant.ts";
import { decideItem } from "../../src/listening-api/arrive/decide-item.ts";
import { importedMention } from "../../src/listening-api/import/imported-mention.ts";
import { noEnrichment } from "./no-enricher.ts";

describe("text of HTML", () => {
  test.each([
    ["<p>One<br>two</p><p>three &amp; four</p>", "One\ntwo\n\nthree & four"],
    ["<ul><li>a</li><li>b</li></ul>after", "- a\n- b\n\nafter"],
    ["I&#x27;m <i>sure</i><p>next<p><pre><code>  x\n    y</code></pre>", "I'm sure\n\nnext\n\nx\ny"],
    ["bo<b>ld</b> <a href='http://x'>link</a>", "bold link"],
    ["a<script>steal()</script><style>p{}</style>b", "ab"],
    ["5 < 6 & 7 > 3", "5 < 6 & 7 > 3"],
    ["<h1>T</h1>text\n  goes   on", "T\n\ntext goes on"],
    ["<table><tr><td>a</td><td>b</td></tr></table>", "a b"],
    ["<img src=x onerror=alert(1)>x", "x"],
  ])("%s", (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });

  test("takes time in proportion to its length, whatever it is", () => {
    for (const part of ["<div>", "<a>", "<b></i>", "<", "&", "<!--", "<p>x", "&#x", "<![CDATA["]) {
      const started = monotonicMs();
      textOfHtml(part.repeat(100_000));
      // A parser that builds a tree takes half a minute for some of these.
      expect(monotonicMs() - started, part).toBeLessThan(5_000);
    }
  });

  test("never fails, and makes no markup of text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof textOfHtml(text)).toBe("string");
      }),
    );
  });
});

describe("dates of feeds", () => {
  const noon = Date.UTC(2026, 10, 23, 12);
  test.each([
    "Mon, 23 Nov 2026 12:00:00 GMT",
    "Mon, 23 Nov 2026 12:00:00 +0000",
    "Mon, 23 Nov 2026 12:00:00 Z",
    "Tue, 23 Nov 2026 12:00:00 GMT",
    "23 Nov 2026 12:00:00",
    "Mon, 23 Nov 2026 13:00:00 CET",
    "Mon, 23 Nov 2026 07:00:00 EST",
    "Mon, 23 Nov 2026 13:00:00 BST",
    "Mon, 23 Nov 2026 14:00:00 EET",
    "Mon, 23 Nov 2026 15:00:00 MSK",
    "Mon, 23 Nov 2026 21:00:00 JST",
    "Mon, 23 Nov 2026 22:00:00 AEST",
    "Mon, 23 Nov 2026 23:00:00 AEDT",
    "Mon, 23 Nov 2026 12:00 GMT",
    "2026-11-23T12:00:00Z",
    "2026-11-23T13:00:00+01:00",
    "2026-11-23T12:00:00",
    "2026-11-23 12:00:00",
    " Monday, 23 Nov 2026 12:00:00 UTC (noon)",
    "Mon Nov 23 12:00:00 GMT 2026",
    "Пн, 23 ноя 2026 15:00:00 +0300",
    "Lun, 23 nov 2026 12:00:00 GMT",
    "Montag, 23. November 2026, 12:00 Uhr",
    "23 novembre 2026 12:00",
    "23 de noviembre de 2026 12:00",
    "November 23, 2026 12:00",
    "23 Kasım 2026 12:00",
    "2026年11月23日 12:00",
    "2026년 11월 23일 12:00",
    "11/23/2026 12:00 PM",
    "23/11/2026 12:00",
    "23.11.2026 12:00",
  ])("%s is noon", (text) => {
    expect(readFeedDate(text)).toBe(noon);
  });

  test("between full stops the day stands first, also where both numbers could be the month", () => {
    expect(readFeedDate("05.11.2026 12:00")).toBe(Date.UTC(2026, 10, 5, 12));
  });

  test.each(["", "yesterday", "23/11/2026 at noon", "NaN", "0000-00-00", "11/05/2026", "31 foo 2026"])(
    "%j is no date",
    (text) => {
      expect(readFeedDate(text)).toBeNull();
    },
  );

  test.each([
    ["vor 3 Stunden", 3 * HOUR],
    ["3 hours ago", 3 * HOUR],
    ["il y a 5 minutes", 5 * MINUTE],
    ["hace 1 hora", HOUR],
    ["2 часа назад", 2 * HOUR],
    ["3 小时前", 3 * HOUR],
    ["in 3 hours", null],
    ["chapter 3", null],
  ])("%s is so long ago", (text, agoMs) => {
    expect(readAgo(text)).toBe(agoMs);
  });

  test.each([
    [null, noon, "without a date"],
    [noon + HOUR, noon, "dated in the future"],
    [noon + MINUTE, noon, "dated"],
    [0, noon, "dated before the web"],
    [Date.UTC(2009, 0, 1), Date.UTC(2009, 0, 1), "dated"],
  ])("%s at noon counts as %s: %s", (published, at, doubt) => {
    expect(decideDate(published, noon)).toEqual({ at, doubt });
  });
});

test.each([
  ["https://Blog.Example:443/a?utm_source=x&id=1&fbclid=2#top", "https://blog.example/a?id=1"],
  ["http://user:secret@a.example/", "http://a.example/"],
  ["https://a.example/#!/page", "https://a.example/#!/page"],
  ["https://a.example/#/page", "https://a.example/#/page"],
  ["https://a.example/?q=a%20b&utm_medium=y", "https://a.example/?q=a+b"],
  ["javascript:alert(1)", null],
  ["", null],
  [null, null],
])("the canonical address of %s", (address, expected) => {
  expect(canonicalUrl(address)).toBe(expected);
});

describe("the next fetch", () => {
  const base = { everyMs: 10 * MINUTE, retryAfterMs: null, isFinal: false };

  test("comes at the interval after a success, and later with each failure, up to hours", () => {
    const waits = [0, 1, 2, 3, 4, 5, 6].map((failures) => decideNext({ ...base, failures }, 0));
    expect(waits.slice(0, 6)).toEqual([9.5, 10, 20, 40, 80, 120].map((minutes) => minutes * MINUTE));
    expect(decideNext({ ...base, failures: CIRCUIT_OPENS_AT }, 0)).toBe(6 * HOUR);
  });

  test("is never sooner than a server asks", () => {
    fc.assert(
      fc.property(
        fc.nat(20),
        fc.nat(HOUR),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, retryAfterMs, random) => {
          expect(decideNext({ ...base, failures, retryAfterMs }, random)).toBeGreaterThanOrEqual(
            retryAfterMs,
          );
        },
      ),
    );
  });

  test("never comes to an address that is gone", () => {
    expect(decideNext({ ...base, failures: 1, isFinal: true }, 0)).toBeNull();
  });
});

test("a stored item is asked for again when it is half as old again, and after 30 days no more", () => {
  expect([0, 2 * HOUR, 20 * DAY].map((ageMs) => nextCheckMs(ageMs))).toEqual([30 * MINUTE, HOUR, 10 * DAY]);
  expect(nextCheckMs(20 * DAY, false)).toBe(HOUR);
  expect([30 * DAY - 1, 30 * DAY].map((ageMs) => nextCheckMs(ageMs) === null)).toEqual([false, true]);
});

describe("an item", () => {
  const known = { idKey: "a", contentKey: "x", resourceId: "1", editedAgoMs: null, isDeleted: false };
  test.each([
    ["never received", { idKey: "b", contentKey: "y" }, [], { outcome: "New" }],
    ["known", { idKey: "a", contentKey: "x" }, [known], { outcome: "Same" }],
    ["known, changed", { idKey: "a", contentKey: "y" }, [known], { outcome: "Edited", resourceId: "1" }],
    [
      "changed a moment ago",
      { idKey: "a", contentKey: "y" },
      [{ ...known, editedAgoMs: 1 }],
      { outcome: "Waits" },
    ],
    ["with a new id", { idKey: "b", contentKey: "x" }, [known], { outcome: "Renamed", resourceId: "1" }],
    [
      "changed a moment ago, from a source that says so once",
      { idKey: "a", contentKey: "y", editedEveryMs: 0 },
      [{ ...known, editedAgoMs: 1 }],
      { outcome: "Edited", resourceId: "1" },
    ],
    [
      "deleted",
      { idKey: "a", contentKey: "y" },
      [{ ...known, isDeleted: true }],
      { outcome: "Deleted", resourceId: "1" },
    ],
    [
      "deleted under another id",
      { idKey: "b", contentKey: "x" },
      [{ ...known, isDeleted: true }],
      { outcome: "Deleted", resourceId: "1" },
    ],
  ])("%s", (_name, item, stored, decision) => {
    expect(decideItem({ editedEveryMs: HOUR, ...item }, stored)).toEqual(decision);
  });
});

describe("how long a server wants to be left alone", () => {
  const now = Date.UTC(2026, 10, 23, 12);
  const inSeconds = (ms: number) => String((now + ms) / 1_000);
  test.each([
    [{}, null],
    [{ "retry-after": "90" }, 90_000],
    [{ "x-ratelimit-remaining": "10", "x-ratelimit-reset": inSeconds(MINUTE) }, null],
    [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": inSeconds(10 * MINUTE) }, 10 * MINUTE],
    [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2026-11-23T12:05:00.000Z" }, 5 * MINUTE],
    [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": inSeconds(-MINUTE) }, 1_000],
    [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": inSeconds(30 * DAY) }, HOUR],
    [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon" }, null],
  ])("%o", (headers: Record<string, string>, expected) => {
    expect(askedPause((name) => headers[name] ?? null, now)).toBe(expected);
  });
});

const fetchedAt = Date.UTC(2026, 10, 23, 12);
const kindOf = (pageType: string) => ({
  ...{ kind: "any", pageType },
  policy: { version: 1, storedCharacters: null, sentOut: "", deletesLearntBy: "", terms: "" },
});
const plainItem: FeedItem = {
  ...{ id: "1", url: null, title: null, body: { text: "Acme" }, publishedAt: fetchedAt, author: null },
};

describe("an item that arrives", () => {
  const around = { kind: kindOf("general"), fetchedAt, keepFrom: fetchedAt - DAY, enrich: noEnrichment };
  const arrived = (more: Partial<FeedItem>) => toArrived({ ...plainItem, ...more }, around).item;

  test("is as old as its source says, also where that is how long ago it was", () => {
    expect(arrived({ publishedAt: null, publishedAgoMs: 3 * HOUR })?.line.date).toBe(fetchedAt - 3 * HOUR);
    expect(arrived({ publishedAt: fetchedAt - DAY })?.line.date).toBe(fetchedAt - DAY);
    expect(arrived({ publishedAt: fetchedAt - DAY - 1 })).toBeNull();
  });

  test("has the same key when its address goes from http to https, and another one in another scope", () => {
    const keys = ["http://a.example/1", "https://www.a.example/1", " https://a.example/1 "].map(
      (id) => arrived({ id })?.idKey,
    );
    expect(new Set(keys).size).toBe(1);
    expect(arrived({ id: "https://a.example/1", scope: "other" })?.idKey).not.toBe(keys[0]);
  });

  test("is a reply or a post", () => {
    const types = [{ isReply: true }, {}].map((more) => arrived(more)?.line.threadEntryType);
    expect(types).toEqual(["reply", "post"]);
  });

  test("shows an analyser its title once", () => {
    const read: string[] = [];
    const enrich = (text: string) => {
      read.push(text);
      return noEnrichment(text, null);
    };
    for (const text of ["Late again. Acme", "Acme"])
      toArrived({ ...plainItem, title: "Late again.", body: { text } }, { ...around, enrich });
    expect(read).toEqual(["Late again. Acme", "Late again.\nAcme"]);
  });
});

describe("counts of likes, comments and shares", () => {
  const arrived = (pageType: string, engagement: FeedItem["engagement"]) => {
    const kind = kindOf(pageType);
    const item = { ...plainItem, ...(engagement === undefined ? {} : { engagement }) };
    const { item: found } = toArrived(item, { kind, fetchedAt, keepFrom: 0, enrich: noEnrichment });
    if (found === null) throw new Error("it is refused");
    return {
      found,
      record: importedMention(found.line, { id: 1, name: "" }, { categories: [], tags: [] }).record,
    };
  };

  test("stand in the fields of the network, and nowhere for a network that has none", () => {
    const counts = { likes: 3, comments: 1, shares: 2 };
    expect(arrived("bluesky", counts).record).toMatchObject({
      ...{ blueskyLikes: 3, blueskyReplies: 1, blueskyReposts: 2 },
    });
    expect(arrived("general", counts).record.blueskyLikes).toBeNull();
  });

  test("make no edit, and are left out when they are no counts", () => {
    const [few, many] = [arrived("bluesky", { likes: 1 }), arrived("bluesky", { likes: 9_000 })];
    expect(few.found.contentKey).toBe(many.found.contentKey);
    for (const likes of [-1, 0.5, Number.NaN, 1e300])
      expect(arrived("bluesky", { likes }).record.blueskyLikes).toBeNull();
  });
});

describe("a feed is silent", () => {
  const now = Date.UTC(2026, 10, 23, 12);
  const feed: FeedRow = {
    ...{ key: "k", kind: "rss", name: "blog", host: "blog.example", everyMs: 15 * MINUTE },
    ...{ isConfigured: true, isFetchedNow: false, nextAt: now + MINUTE, failures: 0, problem: null },
    ...{ addedAt: now - 90 * DAY, triedAt: now - MINUTE, receivedAt: now - MINUTE, itemAt: now - 60 * DAY },
    ...{ itemsToday: 0, matchedToday: 0, gap: null, readings: 0, leftOut: null, notes: [] },
  };
  const failing = { problem: "the server fails (status 502)", failures: 3 };
  const received = (agoMs: number) => ({ receivedAt: now - agoMs });
  const stream = { kind: "bluesky", everyMs: MINUTE, nextAt: now - DAY, isFetchedNow: true };
  test.each<[string, Partial<FeedRow>, number | null]>([
    ["that answers, and has had nothing new for months: not", {}, null],
    ["that fails for as long as a server may be away: not", { ...failing, ...received(45 * MINUTE) }, null],
    ["that fails for longer", { ...failing, ...received(46 * MINUTE) }, 46 * MINUTE],
    [
      "that is fetched once a day: not the next day",
      { ...failing, everyMs: DAY, ...received(26 * HOUR) },
      null,
    ],
    ["that is fetched once a day", { ...failing, everyMs: DAY, ...received(26 * HOUR + 1) }, 26 * HOUR + 1],
    ["whose server wants to be left alone: not", { ...received(5 * HOUR), nextAt: now + HOUR }, null],
    ["that nobody fetches", { ...received(5 * HOUR), nextAt: now - 4 * HOUR }, 5 * HOUR],
    ["that is gone, at once", { ...failing, ...received(MINUTE), nextAt: null }, MINUTE],
    ["that was just added: not", { ...failing, receivedAt: null, addedAt: now - 30 * MINUTE }, null],
    ["that was never received", { ...failing, receivedAt: null, addedAt: now - 31 * MINUTE }, 31 * MINUTE],
    ["that was added again: since then", { ...failing, ...received(99 * DAY), addedAt: now - HOUR }, HOUR],
    ["to which others push: not", { kind: "push", everyMs: 0, nextAt: null, ...received(80 * DAY) }, null],
    ["that was removed: not", { isConfigured: false, ...received(80 * DAY) }, null],
    ["that is a stream with something a while ago: not", { ...stream, ...received(10 * MINUTE) }, null],
    ["that is a stream, open, with nothing for longer", { ...stream, ...received(11 * MINUTE) }, 11 * MINUTE],
    ["that is a stream which fails", { ...stream, ...failing, ...received(11 * MINUTE) }, 11 * MINUTE],
  ])("%s", (_name, changes, silentForMs) => {
    const { silentSince, why } = feedStatus({ ...feed, ...changes }, now);
    expect(silentSince === null ? null : now - silentSince).toBe(silentForMs);
    if (silentForMs !== null) expect(why).not.toBeNull();
  });

  test("for a month: it is quiet, and no fault", () => {
    const states = [30 * DAY, 30 * DAY + 1].map((agoMs) => feedStatus({ ...feed, itemAt: now - agoMs }, now));
    expect(states.map(({ state }) => state)).toEqual(["ok", "quiet"]);
  });
});

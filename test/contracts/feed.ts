import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { kinds } from "../../src/feeds/kinds/all-kinds.ts";
import { createFetchFeed } from "../../src/feeds/run/fetch-feed.ts";
import type { FeedConfig } from "../../src/feeds/run/listen-config.ts";
import { type PlannedFeed, planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { readFeeds } from "../../src/feeds/run/read-feeds.ts";
import { type ReadParts, readPart } from "../../src/feeds/run/read-part.ts";
import { toArrived } from "../../src/feeds/run/to-arrived.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Issue } from "../../src/lib/errors.ts";
import { DAY, type Instant } from "../../src/lib/instant.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { type FeedServer, startFeedServer } from "../fakes/feed-server.ts";
import { noEnrichment } from "../feeds/no-enricher.ts";
import { reader } from "../feeds/reader.ts";

/** What a kind has to show. */
export interface FeedSample {
  /** A feed of the kind that reads from `server`, as people write it, and the pages of a server with some items. */
  setUp(server: FeedServer): object;
  /** For kinds that search: the queries of the configuration. */
  readonly queries?: readonly { readonly name: string; readonly text: string }[];
  /** Ids of the items that the first fetch brings. */
  readonly ids: readonly string[];
  /** Makes one item more, and gives its id. */
  addOne(server: FeedServer): string;
}

/** A fetch with real requests and without a database. */
export async function fetchOnce(
  feed: PlannedFeed,
  state: JsonObject = {},
  more: Partial<ReadParts> & { now?: Instant } = {},
) {
  const fetcher = createFetchFeed({ userAgent: "Earshot/test", clock: systemClock, timeoutMs: 5_000 });
  const parts: ReadParts = {
    fetch: fetcher.fetch,
    reader,
    beginReading: async () => 1,
    reserve: async () => 0,
    hold: async () => {},
    signal: new AbortController().signal,
    timeoutMs: 2_000,
    ...more,
  };
  try {
    return await readPart(feed, state, more.now ?? systemClock.now(), parts);
  } finally {
    await fetcher.close();
  }
}

/** The one feed of a configuration. Throws what `earshot check` would say. */
export function plannedOf(
  written: object,
  queries: readonly { readonly name: string; readonly text: string }[] = [],
): PlannedFeed {
  const issues: Issue[] = [];
  const feeds: FeedConfig[] = readFeeds(
    { listen: { queries, feeds: [{ allowPrivateAddress: true, ...written }] } },
    issues,
  );
  if (issues.length > 0) throw new Error(JSON.stringify(issues.map(({ message }) => message)));
  const [feed] = planFeeds({ feeds, queries: queries.map((query) => ({ ...query, languages: [] })) });
  if (feed === undefined) throw new Error("it has no parts");
  return { ...feed, definition: { ...feed.definition, pace: { everyMs: 0, atOnce: 4 } } };
}

/** Every kind that is fetched passes this; call it in `test/feeds/<kind>.test.ts`. */
export function testFeed(kind: string, sample: FeedSample): void {
  describe(`the feed ${kind}`, () => {
    async function withServer(work: (server: FeedServer, feed: PlannedFeed) => Promise<void>): Promise<void> {
      const server = await startFeedServer();
      try {
        await work(server, plannedOf(sample.setUp(server), sample.queries));
      } finally {
        await server.close();
      }
    }

    test("is listed, and has a policy in words", () => {
      const definition = kinds.find((one) => one.kind === kind);
      const { policy, about } = definition ?? {};
      for (const text of [about, policy?.sentOut, policy?.deletesLearntBy, policy?.terms])
        expect(text?.length).toBeGreaterThan(5);
      expect(policy?.version).toBeGreaterThan(0);
    });

    test("names no host outside the tests but its own default", () => {
      const text = readFileSync(new URL(`../../src/feeds/kinds/${kind}.ts`, import.meta.url), "utf8");
      expect(text).not.toMatch(/process\.env|Date\.now|from "node:(?:http|net)/);
    });

    test("brings every item once, and goes on from its cursor", () =>
      withServer(async (server, feed) => {
        const first = await fetchOnce(feed);
        expect(first.read.items.map(({ id }) => id).sort()).toEqual([...sample.ids].sort());
        const added = sample.addOne(server);
        const second = await fetchOnce(feed, first.state);
        expect(second.read.items.map(({ id }) => id)).toContain(added);
      }));

    test("keeps a state that survives a restart, and begins anew with one that it does not know", () =>
      withServer(async (_server, feed) => {
        const { state } = await fetchOnce(feed);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
        for (const cursor of ["old", 7, [], { of: "another version" }]) {
          const again = await fetchOnce(feed, { cursor });
          expect(again.read.items.map(({ id }) => id).sort()).toEqual([...sample.ids].sort());
        }
      }));

    test("makes mentions of its items", () =>
      withServer(async (_server, feed) => {
        const fetchedAt = systemClock.now();
        const around = {
          kind: feed.definition,
          fetchedAt,
          keepFrom: fetchedAt - 30 * DAY,
          enrich: noEnrichment,
        };
        const { read } = await fetchOnce(feed);
        for (const item of read.items) {
          const arrived = toArrived(item, around).item;
          expect(arrived?.line).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{32}$/) });
          expect(arrived?.line.text).not.toMatch(/<\/?(?:p|div|br|script)\b/);
          expect(arrived?.line.url).toMatch(/^https?:\/\//);
        }
      }));

    test.each([
      ["an error", { status: 500 }],
      [
        "a web page",
        { body: "<!doctype html><html><body>Log in</body></html>", headers: { "content-type": "text/html" } },
      ],
      ["nothing", { body: "" }],
      ["a number", { body: "7" }],
      ["half of a character", { body: Buffer.from([0xe2, 0x82]) }],
      ["JSON of something else", { body: '{"error":"no such thing"}' }],
    ])("says in a sentence what is wrong when the server answers with %s", (_name, page) =>
      withServer(async (server, feed) => {
        for (const path of server.pages.keys()) server.pages.set(path, page);
        const failed = await fetchOnce(feed).then(
          ({ read }) => read.problem ?? `${read.items.length} items`,
          (error: Error) => `${error.name}: ${error.message}`,
        );
        expect(failed).toMatch(/^(?:FeedError: .{10,}|0 items)$/);
      }),
    );
  });
}

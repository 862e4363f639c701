import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { pollQuery } from "../../../src/monitor/polling/poll-queries.ts";
import { toMention } from "../../../src/monitor/source/to-mention.ts";
import { tracesInTables } from "../../flows/find-traces.ts";
import { aMention } from "../../mention.ts";
import { aRule } from "../rules/a-rule.ts";
import { NOON, useWalks } from "./use-polls.ts";

const { clock, db, url, reset, stores, parts } = useWalks();
const RULES = [
  aRule("when: { sentiment: negative }\ngroupBy: author"),
  { ...aRule("when: { sentiment: negative }\nvolume: { atLeast: 1, within: 15m }"), name: "crowd" },
  {
    ...aRule("when: { sentiment: negative }\nvolume: { atLeast: 1, within: 15m, count: authors }"),
    name: "authors",
  },
];

const FIRST = aMention({
  ...{ resourceId: "m", publishedAt: NOON, addedAt: NOON, sentiment: "negative", author: "quillonda" },
  ...{ authorName: "Quillonda Brasswit", url: "https://vextron.example/1", title: "Wimbleford" },
  text: "The zorblax of Acme leaks all over the kitchen floor and nobody calls me back about it",
});
const EDITED: Mention = {
  ...{ ...FIRST, updatedAt: NOON + MINUTE, title: "Dusktangle" },
  text: "I take it back: the glimmerfant of Acme works well since they have sent a second one",
};
const OLD_WORDS = ["zorblax", "wimbleford"];
const WORDS = [...OLD_WORDS, "glimmerfant", "dusktangle", "quillonda", "brasswit", "vextron"];
/** Even if a source sends content with it. */
const DELETED = toMention({
  ...{ resourceId: "m", queryId: "1", resourceType: "deleted", title: "Wimbleford", author: "quillonda" },
  ...{ date: new Date(NOON).toISOString(), added: new Date(NOON).toISOString() },
}).mention;

type Step = "create" | "edit" | "delete" | "letter";

/** Pages of one poll each, or of one poll together; a dead letter with the first version is tried again. */
async function play(pages: readonly (readonly Step[])[], together: boolean): Promise<void> {
  await reset();
  await sql`truncate earshot.matches, earshot.alerts, earshot.latest_alerts, earshot.alert_events, earshot.tombstones,
    earshot.story_texts, earshot.distinct_authors, earshot.notifications, earshot.corrections`.execute(db());
  const { deadLetters } = stores();
  const poll = async (some: readonly (readonly Step[])[]): Promise<void> => {
    clock.advance(2 * MINUTE);
    if (some.flat().includes("letter")) {
      const letter = {
        projectId: "p",
        queryId: "1",
        resourceId: "m",
        kind: "mention",
        reason: "x",
        tries: 1,
      } as const;
      await deadLetters.add({ ...letter, body: FIRST }, clock.now());
      await deadLetters.replay("all", clock.now());
    }
    const fetchPages = async function* () {
      // An empty page would be the last one, and a server that repeats a page is asked no further.
      const sent = new Set<Step>(["letter"]);
      const full = some.map((steps) =>
        steps.flatMap((step) => {
          if (some.length > 1 && sent.has(step)) return [];
          sent.add(step);
          return step === "letter" ? [] : (VERSIONS[step] ?? []);
        }),
      );
      const pages = full.filter((mentions) => mentions.length > 0);
      for (const [index, mentions] of pages.entries()) {
        const nextCursor = index < pages.length - 1 ? `${index}` : null;
        yield { mentions, rejected: [], nextCursor, total: null, pageSize: 10 };
      }
    };
    const used = parts({ fetchPages, rulesFor: () => RULES });
    const key = { projectId: "p", queryId: "1", poll: "added" } as const;
    expect(await pollQuery(used, key, new AbortController().signal)).toMatchObject({ outcome: "Complete" });
  };
  if (together) await poll(pages);
  else for (const page of pages) await poll([page]);
}

const VERSIONS = { create: FIRST, edit: EDITED, delete: DELETED };

async function stored() {
  const { rows } = await sql<Record<"mentions" | "matches" | "counted" | "authors" | "tombstones", number>>`
    select (select count(*) from earshot.mentions) as mentions, (select count(*) from earshot.matches) as matches,
      (select coalesce(sum(n), 0) from earshot.counts) as counted,
      (select count(*) from earshot.distinct_authors) as authors,
      (select count(*) from earshot.tombstones) as tombstones`.execute(db());
  return rows[0];
}

describe("a mention that is created, edited and deleted", () => {
  const step = fc.constantFrom<Step>("create", "edit", "delete", "letter");
  const pages = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 });

  test("ends the same in whatever order its versions arrive", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(pages, fc.boolean(), async (some, together) => {
        await play(some, together);
        const steps = some.flat();
        if (steps.includes("delete")) {
          expect(await tracesInTables(url(), WORDS)).toEqual([]);
          expect(await stored()).toMatchObject({ mentions: 0, matches: 0, authors: 0, tombstones: 1 });
          expect(Number((await stored())?.counted)).toBe(0);
          return;
        }
        expect(await stored()).toMatchObject({ mentions: 1, matches: 1, tombstones: 0 });
        const [{ mention } = { mention: null }] = await stores().mentions.inWindow(
          "p",
          "1",
          NOON,
          NOON + 1,
          9,
        );
        expect(mention).toEqual(steps.includes("edit") ? EDITED : FIRST);
        if (steps.includes("edit")) expect(await tracesInTables(url(), OLD_WORDS)).toEqual([]);
      }),
      {
        numRuns: 40,
        examples: [
          [[["delete"], ["create"]], false],
          [[["create"], ["delete"], ["create"], ["letter"]], false],
          [[["create"], ["delete"]], true],
          [[["edit"], ["create"], ["delete"], ["edit"]], false],
          [[["delete", "create"], ["edit"]], true],
        ],
      },
    );
  });

  test("is counted as it was claimed: what was deleted is not missing", async () => {
    await play([["create"], ["delete"]], false);
    const span = { projectId: "p", queryIds: ["1"], from: NOON - MINUTE, to: NOON + MINUTE };
    expect(await stores().countChecks.stored(span)).toBe(1);
  });

  test("keeps the story of others, and what they say", async () => {
    await play([["create"]], false);
    const copy = {
      ...FIRST,
      resourceId: "copy",
      author: "bo",
      authorName: null,
      url: null,
      title: "Wimbleford",
    };
    const page = (mentions: readonly Mention[]) => ({
      mentions,
      rejected: [],
      nextCursor: null,
      total: 1,
      pageSize: 9,
    });
    for (const mention of [copy, DELETED ?? copy]) {
      clock.advance(2 * MINUTE);
      const fetchPages = async function* () {
        yield page([mention]);
      };
      const key = { projectId: "p", queryId: "1", poll: "added" } as const;
      await pollQuery(parts({ fetchPages, rulesFor: () => RULES }), key, new AbortController().signal);
    }
    expect(await tracesInTables(url(), ["quillonda", "vextron"])).toEqual([]);
    expect((await tracesInTables(url(), ["zorblax"])).length).toBeGreaterThan(0);
    const { batches } = await stores().stories.since("p", "1", { version: 0, seq: 0 }, 10);
    expect(batches.flatMap((batch) => batch.texts)).toHaveLength(1);
  });
});

test("a deleted record without times is a delete, too, and brings no content", () => {
  const { mention } = toMention({
    id: 7,
    queryId: 1,
    resourceType: "deleted",
    snippet: "zorblax",
    url: "https://x.example",
  });
  expect(mention).toMatchObject({ resourceId: "7", queryId: "1", isDeleted: true, text: null, url: null });
});

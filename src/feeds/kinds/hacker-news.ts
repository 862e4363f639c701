import { z } from "zod";
import { HttpAddress } from "../../lib/http-address.ts";
import { MINUTE } from "../../lib/instant.ts";
import {
  defineFeed,
  type FeedAnswer,
  type FeedItem,
  type FeedPart,
  type FeedRead,
  type FeedReader,
  type FeedRequest,
  FetchedKeys,
  type Recheck,
  type StoredItem,
} from "../common/define-feed.ts";
import { FeedError } from "../common/feed-error.ts";

/** Its list of changes has the last minutes only: what changed while Earshot was away is learnt by asking again. */
const MOST_RECHECKED = 120;

/** Every story and comment of Hacker News, in the order of their ids, with edits and deletes. */
export const hackerNews = defineFeed({
  kind: "hacker-news",
  about: "All stories and comments of Hacker News.",
  config: z.strictObject({
    kind: z.literal("hacker-news").describe("All stories and comments of Hacker News."),
    ...FetchedKeys,
    baseUrl: HttpAddress.default("https://hacker-news.firebaseio.com/v0").describe(
      "Address of the interface, for a mirror or a test.",
    ),
  }),
  policy: {
    version: 1,
    storedCharacters: null,
    sentOut: "an excerpt, with link",
    deletesLearntBy:
      "the list of changed items, read every time, and asking for stored items again, for 30 days: deleted and dead ones go",
    terms: "a free public interface",
  },
  pace: { everyMs: 15, atOnce: 12 },
  everyMs: MINUTE,
  pageType: "forum",
  parts: ({ name, baseUrl }) => [
    { id: "items", name: name ?? "Hacker News", url: baseUrl.replace(/\/$/, "") },
  ],
  read: readHackerNews,
  recheck: { most: MOST_RECHECKED, read: recheckItems },
});

/** About a quarter of an hour of the site: a new feed has something to show. */
const FIRST_BACKLOG = 150;
/** Asked in one fetch; if there are more, the next follows at once. */
const MOST_ITEMS = 300;
/** A fresh id may be answered with null for a while. Some ids are null for ever. */
const MOST_TRIES = 30;

/** `from`: the first id that was read. `next`: the first that was not. `pending`: ids that were null, and how often. */
const Cursor = z.object({ from: z.int(), next: z.int(), pending: z.array(z.tuple([z.int(), z.int()])) });

const Item = z.object({
  id: z.int(),
  type: z.string().optional(),
  by: z.string().optional(),
  time: z.number().optional(),
  title: z.string().optional(),
  text: z.string().optional(),
  url: z.string().optional(),
  parent: z.int().optional(),
  parts: z.array(z.int()).optional(),
  deleted: z.boolean().optional(),
  dead: z.boolean().optional(),
});

function* readHackerNews({ url: base }: FeedPart, _settings: unknown, stored: unknown): FeedReader {
  const [newest, changes] = yield [{ url: `${base}/maxitem.json` }, { url: `${base}/updates.json` }];
  const max = z.int().safeParse(newest?.json);
  if (!max.success) throw new FeedError("its newest id is no number; the interface answers something else");
  const known = Cursor.safeParse(stored);
  const first = Math.max(1, max.data - FIRST_BACKLOG + 1);
  const cursor = known.success ? known.data : { from: first, next: first, pending: [] };
  // Ids that went back would be a mirror of another time: then nothing is new.
  const until = Math.min(max.data, cursor.next + MOST_ITEMS - 1);
  const fresh = range(cursor.next, until);
  const tries = new Map(cursor.pending);
  // Older items were never received; a new score would make them new.
  const changed = changedIds(changes).filter((id) => id >= cursor.from && id < cursor.next && !tries.has(id));
  const ids = [...tries.keys(), ...fresh, ...changed];
  const answers = yield ids.map((id) => ({ url: `${base}/item/${id}.json` }));
  const read = { items: [] as FeedItem[], deletes: [] as FeedRead["deletes"][number][] };
  const pending: [number, number][] = [];
  for (const [index, id] of ids.entries()) {
    const found = Item.safeParse(answers[index]?.json);
    if (found.success) sort(found.data, read, yield* choicesOf(found.data, base));
    else {
      // A changed one, too: it may have been deleted, and the list of changes does not say it twice.
      const tried = (tries.get(id) ?? 0) + 1;
      if (tried < MOST_TRIES) pending.push([id, tried]);
    }
  }
  const next = Math.max(cursor.next, until + 1);
  return { ...read, cursor: { from: cursor.from, next, pending }, more: until < max.data };
}

/** The choices of a poll are items of their own, and read as parts of it. */
function* choicesOf(
  { type, parts = [] }: z.output<typeof Item>,
  base: string | null,
): Generator<readonly FeedRequest[], readonly string[], readonly FeedAnswer[]> {
  if (type !== "poll" || parts.length === 0) return [];
  const answers = yield parts.slice(0, MOST_CHOICES).map((id) => ({ url: `${base}/item/${id}.json` }));
  return answers.flatMap(({ json }) => {
    const choice = Item.safeParse(json);
    return choice.success && choice.data.deleted !== true ? (choice.data.text ?? []) : [];
  });
}

const MOST_CHOICES = 30;

function sort(
  item: z.output<typeof Item>,
  read: { items: FeedItem[]; deletes: FeedRead["deletes"][number][] },
  choices: readonly string[],
) {
  const id = String(item.id);
  if (item.deleted === true) read.deletes.push({ id, reason: "deleted by its author" });
  else if (item.dead === true) read.deletes.push({ id, reason: "removed by Hacker News" });
  else if (item.type !== "pollopt" && item.by !== undefined) read.items.push(toItem(item, id, choices));
}

function toItem(
  { by = "", time, title, text, url, type }: z.output<typeof Item>,
  id: string,
  choices: readonly string[],
): FeedItem {
  const html = [
    text,
    ...choices.map((choice) => `<p>${choice}</p>`),
    url === undefined ? undefined : `<p>${url.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</p>`,
  ];
  const body = html.filter((part) => part !== undefined).join("\n");
  return {
    id,
    url: `https://news.ycombinator.com/item?id=${id}`,
    title: title ?? null,
    body: body === "" ? null : { html: body },
    publishedAt: time === undefined ? null : time * 1_000,
    author: by,
    site: "Hacker News",
    isReply: type === "comment",
  };
}

function* recheckItems(stored: readonly StoredItem[], { url: base }: FeedPart): Recheck {
  const answers = yield stored.map(({ id }) => ({ url: `${base}/item/${id}.json` }));
  const read = { items: [] as FeedItem[], deletes: [] as FeedRead["deletes"][number][] };
  const unanswered: StoredItem[] = [];
  for (const [index, item] of stored.entries()) {
    const found = Item.safeParse(answers[index]?.json);
    if (found.success && String(found.data.id) === item.id)
      sort(found.data, read, yield* choicesOf(found.data, base));
    else unanswered.push(item);
  }
  return { ...read, unanswered };
}

/** It lists a hundred or two; each is a call. */
const MOST_CHANGED = 1_000;

function changedIds(answer: FeedAnswer | undefined): number[] {
  const found = z.object({ items: z.array(z.int()) }).safeParse(answer?.json);
  return found.success ? [...new Set(found.data.items)].slice(0, MOST_CHANGED) : [];
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

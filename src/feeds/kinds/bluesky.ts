import { z } from "zod";
import { HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import { isRecord } from "../../lib/json.ts";
import { cutText } from "../../lib/text.ts";
import {
  defineFeed,
  type FeedItem,
  FeedKeys,
  type StreamItem,
  type StreamRead,
} from "../common/define-feed.ts";
import { readFeedDate } from "../common/feed-date.ts";

const POSTS = "app.bsky.feed.post";

const Host = z.url({ protocol: /^wss?$/, error: "expected an address that begins with wss://" }).meta({
  pattern: "^\\s*[wW][sS]{1,2}:",
  patternErrorMessage: "expected an address that begins with wss://",
});

/** Every post of Bluesky, through its Jetstream: JSON over one WebSocket (the first version of its wire format). */
export const bluesky = defineFeed({
  kind: "bluesky",
  about: "All new posts of Bluesky, as they are written; only those that match a query are stored.",
  config: z.strictObject({
    kind: z.literal("bluesky").describe("All new posts of Bluesky that match a query."),
    name: FeedKeys.name,
    allowPrivateAddress: FeedKeys.allowPrivateAddress,
    hosts: z
      .array(Host)
      .min(1)
      .max(20)
      .default([
        "wss://jetstream2.us-east.bsky.network",
        "wss://jetstream1.us-east.bsky.network",
        "wss://jetstream2.us-west.bsky.network",
        "wss://jetstream1.us-west.bsky.network",
      ])
      .describe("Jetstream servers; the next one is asked when one fails. For mirrors and tests."),
    compress: z
      .boolean()
      .default(false)
      .describe("Whether the server may compress what it sends. Saves traffic, costs processor time."),
  }),
  policy: {
    version: 1,
    storedCharacters: null,
    sentOut: "the whole text, with its author and link",
    deletesLearntBy: "the stream, at once: deleted posts, and accounts that are removed or deactivated",
    terms: "Bluesky's; account removals have to be applied",
  },
  pace: { everyMs: 0, atOnce: 1 },
  everyMs: MINUTE,
  pageType: "bluesky",
  parts: ({ name, hosts }) => [{ id: "jetstream", name: name ?? "Bluesky", url: hosts[0] ?? null }],
  stream: {
    hosts: ({ hosts }) => hosts,
    isCompressed: ({ compress }) => compress,
    address(host, from, { maxFrameBytes }) {
      const url = new URL(host);
      if (url.pathname === "/") url.pathname = "/subscribe";
      url.searchParams.set("wantedCollections", POSTS);
      url.searchParams.set("maxMessageSizeBytes", String(maxFrameBytes));
      if (from !== null) url.searchParams.set("cursor", String(from));
      return url.href;
    },
    read,
  },
});

/** A frame is hostile: every value is looked at before it is used. */
type Loose = Readonly<Record<string, unknown>>;

const DID = /^did:[a-z]{1,20}:[\w.:%-]{1,300}$/;
const RKEY = /^[\w.:~-]{1,512}$/;

function read(frames: readonly string[], now: Instant): StreamRead {
  const items = new Map<string, StreamItem>();
  const deletes = new Map<string, { id: string; reason: string }>();
  const removed = new Map<string, string>();
  const restored = new Set<string>();
  const positions: number[] = [];
  let unread = 0;
  const events = frames.map(parse);
  const horizon = horizonOf(events, now);
  for (const event of events) {
    const did = event?.["did"];
    if (event === null || typeof did !== "string" || !DID.test(did)) {
      unread++;
      continue;
    }
    const at = positionOf(event, horizon);
    if (at !== null) positions.push(at);
    const { commit, account } = event;
    if (isRecord(commit)) {
      const { operation, collection, rkey } = commit;
      if (collection !== POSTS) continue;
      if (typeof rkey !== "string" || !RKEY.test(rkey)) unread++;
      else if (operation === "delete") {
        const id = `${did}/${rkey}`;
        deletes.set(id, { id, reason: "deleted by its author" });
      } else {
        const item = toItem(did, rkey, commit, event, at);
        if (item.isEdit && item.body === null)
          deletes.set(item.id, { id: item.id, reason: "its text was removed" });
        const before = items.get(item.id);
        // Frames may come in any order.
        if ((before?.revision ?? 0) <= (item.revision ?? 0)) items.set(item.id, item);
      }
    } else if (isRecord(account)) {
      const reason = removalOf(account);
      if (reason === "active") restored.add(did);
      else if (reason !== null) {
        removed.set(did, reason);
        restored.delete(did);
        for (const [id, { authorId }] of items) if (authorId === did) items.delete(id);
      }
    }
    // Names of accounts (`identity`) are not stored: all else is nothing to us.
  }
  return {
    items: [...items.values()].filter(
      ({ id, authorId = "" }) => !deletes.has(id) && (!removed.has(authorId) || restored.has(authorId)),
    ),
    deletes: [...deletes.values()],
    removedAuthors: [...removed].map(([authorId, reason]) => ({ authorId, reason })),
    restoredAuthors: [...restored],
    positions,
    unread,
  };
}

function parse(frame: string): Loose | null {
  try {
    const parsed: unknown = JSON.parse(frame);
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** A position in the future would skip everything until then when the stream goes on there. */
function positionOf({ time_us: at }: Loose, horizon: number): number | null {
  return isPosition(at) && at <= horizon ? at : null;
}

function isPosition(at: unknown): at is number {
  return typeof at === "number" && Number.isSafeInteger(at) && at > 0;
}

/** A clock that is slow by more is no clock, and a host that is ahead by more lies. */
const MOST_SLOW = 24 * HOUR;

/** What is no future: by the clock of this machine, or, where that is slow, by that of most events. */
function horizonOf(events: readonly (Loose | null)[], now: Instant): number {
  const positions = events.map((event) => event?.["time_us"]).filter(isPosition);
  const middle = positions.sort((a, b) => a - b)[Math.floor((positions.length - 1) / 2)] ?? 0;
  const isSlow = middle > now * 1_000 && middle <= (now + MOST_SLOW) * 1_000;
  return (isSlow ? middle : now * 1_000) + 5 * MINUTE * 1_000;
}

/** Why all of an account goes; "active": it is there (again). Null: its server has a problem, and nobody left. */
function removalOf({ active, status }: Loose): string | null {
  if (active === true) return "active";
  if (active !== false || status === "desynchronized" || status === "throttled") return null;
  const known = ["deleted", "takendown", "suspended", "deactivated"];
  return `its account is ${typeof status === "string" && known.includes(status) ? status : "not active"}`;
}

/** What an author says of the date counts if it fits the moment at which the post went by. */
const DATE_MAY_DIFFER = 24 * HOUR;

function toItem(did: string, rkey: string, commit: Loose, event: Loose, at: number | null): StreamItem {
  const record = isRecord(commit["record"]) ? commit["record"] : {};
  const createdAt = typeof record["createdAt"] === "string" ? readFeedDate(record["createdAt"]) : null;
  const wentByAt = at === null || at < 1e15 ? null : Math.floor(at / 1_000);
  const isPlausible =
    createdAt !== null && (wentByAt === null || Math.abs(wentByAt - createdAt) <= DATE_MAY_DIFFER);
  const handle = event["handle"];
  return {
    id: `${did}/${rkey}`,
    url: `https://bsky.app/profile/${did}/post/${rkey}`,
    title: null,
    body: bodyOf(record),
    publishedAt: isPlausible ? createdAt : wentByAt,
    author: typeof handle === "string" ? handle : did,
    authorId: did,
    language: languageOf(record["langs"]),
    pageType: "bluesky",
    isReply: isRecord(record["reply"]),
    isEdit: commit["operation"] === "update",
    ...(at === null ? {} : { revision: at }),
  };
}

const MOST_LINES = 20;

/**
 * The text, and what a reader sees or hears below it: descriptions of pictures and videos, cards, addresses of links, whose
 * text is often cut, and tags that stand apart. The text of a quoted post is not in the stream.
 */
function bodyOf(record: Loose): FeedItem["body"] {
  const text = typeof record["text"] === "string" ? cutText(record["text"]) : "";
  const below: string[] = [];
  const embed = isRecord(record["embed"]) ? record["embed"] : {};
  // A quote with pictures has them one level deeper.
  for (const media of [embed, embed["media"]]) {
    if (!isRecord(media)) continue;
    for (const picture of listOf(media["images"], 10)) below.push(...textsOf(picture, ["alt"]));
    below.push(...textsOf(media, ["alt"]), ...textsOf(media["external"], ["title", "description", "uri"]));
  }
  for (const facet of listOf(record["facets"], 100))
    for (const feature of isRecord(facet) ? listOf(facet["features"], 5) : [])
      below.push(...textsOf(feature, ["uri"]));
  below.push(...listOf(record["tags"], 10).flatMap((tag) => (isText(tag) ? `#${tag}` : [])));
  const added = [...new Set(below)].filter((line) => !text.includes(line)).slice(0, MOST_LINES);
  const body = [text, ...added].filter((line) => line !== "").join("\n");
  return body === "" ? null : { text: body };
}

function listOf(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

function textsOf(value: unknown, names: readonly string[]): readonly string[] {
  return isRecord(value) ? names.map((name) => value[name]).filter(isText) : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= 2_000;
}

function languageOf(langs: unknown): string | null {
  const first: unknown = Array.isArray(langs) ? langs[0] : null;
  return typeof first === "string" ? (/^([a-z]{2})(?:-|$)/.exec(first)?.[1] ?? null) : null;
}

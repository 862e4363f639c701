import { z } from "zod";
import { DAY, type Instant, MINUTE } from "../../lib/instant.ts";
import { isRecord } from "../../lib/json.ts";
import { parseUrl } from "../../lib/parse-url.ts";
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
import { readFeedDate } from "../common/feed-date.ts";
import { FeedError } from "../common/feed-error.ts";
import { askedPause } from "../common/rate-limit.ts";

/** Public posts of a Mastodon server, or of another one with the same interface: of some tags, or all that it knows. */
export const mastodon = defineFeed({
  kind: "mastodon",
  about: "Public posts that a Mastodon server knows: those with certain tags, or all of them.",
  config: z.strictObject({
    kind: z.literal("mastodon").describe("Public posts that a Mastodon server knows."),
    ...FetchedKeys,
    server: z
      .string()
      .regex(
        /^(?:https?:\/\/)?[\w.-]+(?::\d+)?\/?$/i,
        "expected the name of a server, such as mastodon.social",
      )
      .describe("Name of the server, or its address. Example: mastodon.social"),
    tags: z
      .array(
        z
          .string()
          .trim()
          .regex(/^#?[\p{L}\p{M}\p{N}_·]{1,100}$/u, "expected a tag: letters, digits and _, without blanks")
          .transform((tag) => tag.replace(/^#/, "")),
      )
      .default([])
      .describe(
        "Only posts with one of these tags. Default: everything that the server knows. Example: [acme]",
      ),
    token: z.string().trim().min(1).exactOptional().meta({
      description:
        "Access token of an account on the server, for servers that show their posts to members only: Preferences, Development, New application, with the right read:statuses.",
      writeOnly: true,
    }),
  }),
  policy: {
    version: 1,
    storedCharacters: null,
    sentOut: "the text, with author and link",
    deletesLearntBy:
      "asking for stored posts again, for 30 days: one that the server does not have any more goes",
    terms: "the rules of each server",
  },
  // 300 calls in 5 minutes are allowed.
  pace: { everyMs: 1_200, atOnce: 1 },
  everyMs: 2 * MINUTE,
  pageType: "general",
  parts({ server, tags, name }) {
    const base = (/^https?:/i.test(server) ? server : `https://${server}`).replace(/\/$/, "").toLowerCase();
    const host = new URL(base).host;
    // Servers take capitals and small letters of a tag for the same.
    const searches = tags.length === 0 ? [null] : [...new Set(tags.map((tag) => tag.toLowerCase()))];
    return searches.map((tag) => {
      const path = tag === null ? "public" : `tag/${encodeURIComponent(tag)}`;
      const ownName = searches.length === 1 ? name : undefined;
      return {
        ...{ id: `${host}/${path}`, url: `${base}/api/v1/timelines/${path}` },
        name: ownName ?? (tag === null ? host : `${host} #${tag}`),
      };
    });
  },
  read: readTimeline,
  recheck: { most: 20, read: recheckPosts },
});

type Settings = { readonly token?: string };

/** Numbers, or letters and digits, as the software of the server likes. */
const Id = z.string().regex(/^[!-~]{1,100}$/);
/** The newest post that was read, as this server calls it. */
const Cursor = z.object({ minId: Id });
const PAGE = 40;
/** In one part of a fetch; if there are more, the next follows at once. */
const MOST_PAGES = 5;

const Words = z.string().nullish().catch(null);
/** What stands beside the text. Other software leaves it out, or has something else there. */
const Beside = {
  media_attachments: z
    .array(z.object({ description: Words }))
    .nullish()
    .catch(null),
  poll: z
    .object({ options: z.array(z.object({ title: Words })) })
    .nullish()
    .catch(null),
  card: z.object({ title: Words, description: Words }).nullish().catch(null),
  quote: z
    .object({ quoted_status: z.object({ content: z.string(), visibility: Words }).nullish() })
    .nullish()
    .catch(null),
};

const Plain = z.object({
  ...Beside,
  id: Id,
  uri: z.string().min(1),
  url: z.string().nullish(),
  created_at: z.string(),
  visibility: z.string().optional(),
  language: z.string().nullish(),
  content: z.string(),
  spoiler_text: z.string().nullish(),
  in_reply_to_id: z.string().nullish(),
  account: z.object({ acct: z.string(), display_name: z.string().nullish(), url: z.string().nullish() }),
  replies_count: z.number().nullish(),
  reblogs_count: z.number().nullish(),
  favourites_count: z.number().nullish(),
});
/** A boost repeats a post, and never another boost. */
const Post = Plain.extend({ reblog: Plain.nullish() });
type Post = z.output<typeof Post>;

function* readTimeline(part: FeedPart, settings: Settings, stored: unknown, now: Instant): FeedReader {
  const known = Cursor.safeParse(stored);
  const items: FeedItem[] = [];
  let minId = known.success ? known.data.minId : null;
  let pauseMs: number | null = null;
  let more = false;
  for (let page = 1; ; page++) {
    const url = new URL(part.url ?? "");
    url.searchParams.set("limit", String(PAGE));
    // The posts right after that one, where since_id would leave a gap.
    if (minId !== null) url.searchParams.set("min_id", minId);
    const [answer] = yield [requestOf(url.href, settings)];
    const posts = postsIn(answer, settings, now);
    items.push(...posts.flatMap((post) => toItem(post, part) ?? []));
    pauseMs = answer === undefined ? null : askedPause(answer.header, now, FEW_CALLS);
    const newest = newestOf(posts, minId);
    if (newest === null && page === 1 && minId === null && isPublic(part)) throw new FeedError(EMPTY);
    // Ids that do not grow are those of a server that knows no min_id. The first page has no end to reach.
    const isLast = newest === null || minId === null;
    minId = newest ?? minId;
    if (isLast) break;
    more = page >= MOST_PAGES || pauseMs !== null;
    if (more) break;
  }
  return {
    ...{ items, deletes: [], cursor: minId === null ? null : { minId }, more },
    ...(pauseMs === null ? {} : { pauseMs }),
  };
}

const FEW_CALLS = 5;
const EMPTY =
  "its public timeline is empty: the server may have switched it off; name tags, or another server";

function isPublic({ url }: FeedPart): boolean {
  return url?.endsWith("/timelines/public") === true;
}

/** The id behind all others, if it is behind the known one, too. Ids grow: numbers by length, others as text. */
function newestOf(posts: readonly Post[], known: string | null): string | null {
  let newest = known;
  for (const { id } of posts) if (newest === null || isAfter(id, newest)) newest = id;
  return newest === known ? null : newest;
}

function isAfter(a: string, b: string): boolean {
  const areNumbers = /^\d+$/.test(a) && /^\d+$/.test(b);
  return areNumbers && a.length !== b.length ? a.length > b.length : a > b;
}

/** Answers that say more than their status does. */
const SPEAKING_STATUSES = [401, 403, 404, 410, 422];

function requestOf(url: string, { token }: Settings): FeedRequest {
  const headers = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  return { url, accepts: SPEAKING_STATUSES, ...headers };
}

function postsIn(answer: FeedAnswer | undefined, { token }: Settings, now: Instant): Post[] {
  const { status = 0, json } = answer ?? {};
  if (status === 401 || status === 403 || status === 422) {
    const pause = answer === undefined ? null : askedPause(answer.header, now);
    if (status === 403 && pause !== null)
      throw new FeedError("we ask it too often (status 403)", { retryAfterMs: pause });
    throw new FeedError(
      token === undefined
        ? `it shows these posts to its members only (status ${status}): set token, an access token of an account there (Preferences, Development, New application, right read:statuses)`
        : `it does not take the token (status ${status}): make a new one there, with the right read:statuses`,
    );
  }
  if (status === 404 || status === 410)
    throw new FeedError(`there is no Mastodon interface at this address (status ${status})`);
  if (!Array.isArray(json)) {
    const message: unknown = Reflect.get(Object(json), "error");
    throw new FeedError(
      typeof message === "string"
        ? `it answers: ${message.slice(0, 200)}`
        : "its answer is no list of posts; is it a Mastodon server?",
    );
  }
  return json.flatMap((post: unknown) => {
    const read = Post.safeParse(post);
    return read.success ? [read.data] : [];
  });
}

/** A boost is the post that it repeats. Posts for followers are none of our business, even if a token shows them. */
function toItem(given: Post, part: FeedPart): FeedItem | null {
  const post = given.reblog ?? given;
  const { visibility = "public", account, spoiler_text: warning } = post;
  if (visibility !== "public" && visibility !== "unlisted") return null;
  const host = (parseUrl(account.url ?? "") ?? new URL(part.url ?? "")).host;
  return {
    // The same in the eyes of every server.
    id: post.uri,
    reference: post.id,
    url: post.url ?? (/^https?:\/\//i.test(post.uri) ? post.uri : null),
    title: null,
    body: { html: paragraph(warning) + post.content + besideOf(post) },
    publishedAt: readFeedDate(post.created_at),
    author: account.acct.includes("@") ? account.acct : `${account.acct}@${host}`,
    fullname: account.display_name ?? null,
    language: /^[a-z]{2}\b/i.test(post.language ?? "")
      ? (post.language ?? "").slice(0, 2).toLowerCase()
      : null,
    isReply: post.in_reply_to_id != null,
    engagement: {
      likes: post.favourites_count ?? undefined,
      comments: post.replies_count ?? undefined,
      shares: post.reblogs_count ?? undefined,
    },
  };
}

/** What a reader sees or hears beside the text: descriptions of pictures, choices of a poll, a card, a quoted post. */
function besideOf({ media_attachments: media, poll, card, quote }: z.output<typeof Plain>): string {
  const words = [
    ...(media ?? []).map(({ description }) => description),
    ...(poll?.options ?? []).map(({ title }) => title),
    ...[card?.title, card?.description],
  ];
  const quoted = quote?.quoted_status;
  const isPublicQuote = (quoted?.visibility ?? "public") === "public" || quoted?.visibility === "unlisted";
  const blockquote = quoted == null || !isPublicQuote ? "" : `<blockquote>${quoted.content}</blockquote>`;
  return words.slice(0, MOST_WORDS).map(paragraph).join("") + blockquote;
}

const MOST_WORDS = 30;

function paragraph(text: string | null | undefined): string {
  if (text == null || text.trim() === "") return "";
  return `<p>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</p>`;
}

const FORGOTTEN_AFTER_MS = 7 * DAY;

function* recheckPosts(stored: readonly StoredItem[], part: FeedPart, settings: Settings): Recheck {
  const statuses = new URL("/api/v1/statuses", part.url ?? "").href;
  const host = new URL(statuses).host;
  const byReference = new Map(
    stored.flatMap((item) => (item.reference === null ? [] : [[item.reference, item] as const])),
  );
  const query = [...byReference.keys()].map((reference) => `id[]=${encodeURIComponent(reference)}`).join("&");
  // From 4.3.0 on, twenty at once. An older server answers with an error or with something else.
  const [batch] = yield [
    { ...requestOf(`${statuses}?${query}`, settings), accepts: [...SPEAKING_STATUSES, 400, 405, 501] },
  ];
  const together = batch?.status === 200 ? batch.json : null;
  const found: Post[] = (Array.isArray(together) ? together : []).flatMap((post: unknown) => {
    const read = Post.safeParse(post);
    return read.success ? [read.data] : [];
  });
  const has = new Set(found.map(({ id }) => id));
  // One that is not among them may be gone, or only not shown: asked alone, the server says which.
  const missing = [...byReference.keys()].filter((reference) => !has.has(reference));
  const answers = yield missing.map((reference) =>
    requestOf(`${statuses}/${encodeURIComponent(reference)}`, settings),
  );
  const deletes: FeedRead["deletes"][number][] = [];
  const lost: { readonly id: string; readonly reason: string }[] = [];
  for (const [index, reference] of missing.entries()) {
    const { status, json } = answers[index] ?? {};
    const { id = "", ageMs = 0 } = byReference.get(reference) ?? {};
    // Many servers forget the posts of others after some days, also those that are still there.
    const mayForget = ageMs > FORGOTTEN_AFTER_MS && (parseUrl(id)?.host ?? host) !== host;
    // A web page with this status is not the interface that speaks, and neither is `null`.
    const isGone = (status === 404 || status === 410) && isRecord(json) && !mayForget;
    if (isGone) lost.push({ id, reason: "the server does not have it any more" });
    const read = status === 200 ? Post.safeParse(json) : undefined;
    if (read?.success === true) found.push(read.data);
  }
  const items: FeedItem[] = [];
  for (const post of found) {
    const item = toItem(post, part);
    if (item !== null) items.push(item);
    else deletes.push({ id: post.uri, reason: "its author does not show it in public any more" });
  }
  const isSiteThere = lost.length > 0 && (found.length > 0 || (yield* showsPosts(part, settings, statuses)));
  return { items, deletes, gone: lost.map((one) => ({ ...one, isSiteThere })) };
}

/** Whether the server shows a post that it lists now, as itself. Where it lists none, it has to say who it is. */
function* showsPosts(
  part: FeedPart,
  settings: Settings,
  statuses: string,
): Generator<readonly FeedRequest[], boolean, readonly FeedAnswer[]> {
  const [timeline] = yield [requestOf(`${part.url}?limit=1`, settings)];
  if (timeline?.status !== 200 || !Array.isArray(timeline.json)) return false;
  const newest = Post.safeParse(timeline.json[0]);
  const url = newest.success
    ? `${statuses}/${encodeURIComponent(newest.data.id)}`
    : new URL("/api/v1/instance", statuses).href;
  const [answer] = yield [requestOf(url, settings)];
  return answer?.status === 200 && isRecord(answer.json);
}

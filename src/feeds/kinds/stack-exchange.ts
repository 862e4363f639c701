import { z } from "zod";
import { HttpAddress } from "../../lib/http-address.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
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
import { textOfHtml } from "../common/text-of-html.ts";

/** Questions and answers of Stack Exchange sites, of some tags or all. */
export const stackExchange = defineFeed({
  kind: "stack-exchange",
  about: "Questions and answers of Stack Overflow and the other Stack Exchange sites.",
  config: z.strictObject({
    kind: z
      .literal("stack-exchange")
      .describe("Questions and answers of Stack Overflow and the other Stack Exchange sites."),
    ...FetchedKeys,
    sites: z
      .array(
        z.string().regex(/^[a-z0-9.-]{2,60}$/, "expected the short name of a site, such as stackoverflow"),
      )
      .min(1)
      .describe("Short names of the sites. Example: [stackoverflow, superuser]"),
    tags: z
      .array(z.string().regex(/^[^\s;,/?&#]{1,60}$/, "expected a tag, without blanks"))
      .default([])
      .describe("Only questions with one of these tags, and their answers. Default: all. Example: [acme]"),
    key: z.string().trim().min(1).exactOptional().meta({
      description: "Key of an app that you have registered there: 10,000 calls a day instead of 300.",
      writeOnly: true,
    }),
    baseUrl: HttpAddress.default("https://api.stackexchange.com/2.3").describe(
      "Address of the interface, for a mirror or a test.",
    ),
  }),
  policy: {
    version: 1,
    storedCharacters: null,
    sentOut: "the text, with author and link (the licence CC BY-SA asks for both)",
    deletesLearntBy:
      "asking for stored posts again, for 30 days: one that the site does not have any more goes",
    terms: "CC BY-SA, and the terms of the Stack Exchange API",
  },
  pace: { everyMs: 500, atOnce: 1 },
  // Three calls each time: about 290 of the 300 that a day has for one site and tag without a key.
  everyMs: 15 * MINUTE,
  pageType: "forum",
  parts({ sites, tags, baseUrl, name }) {
    const all = [...new Set(sites)].flatMap((site) =>
      (tags.length === 0 ? [null] : [...new Set(tags)]).map((tag) => ({ site, tag })),
    );
    return all.map(({ site, tag }) => ({
      id: tag === null ? site : `${site} ${tag}`,
      url: baseUrl,
      name: all.length === 1 && name !== undefined ? name : tag === null ? site : `${site} [${tag}]`,
    }));
  },
  read: readSite,
  recheck: { most: 100, read: recheckPosts },
});

type Settings = { readonly key?: string };

/** Until when everything was read: the last activity of a question, in seconds. */
const Cursor = z.object({ since: z.int().positive() });
const FIRST_MS = DAY;
const PAGE = 100;
/** When fewer calls are left for the day, they are spread over it. */
const FEW_CALLS = 30;

const Post = z.object({
  question_id: z.int().optional(),
  answer_id: z.int().optional(),
  post_id: z.int().optional(),
  title: z.string().optional(),
  body: z.string().optional(),
  link: z.string().optional(),
  creation_date: z.int(),
  last_activity_date: z.int().optional(),
  score: z.number().optional(),
  answer_count: z.number().optional(),
  owner: z.object({ display_name: z.string().optional() }).optional(),
});
type Post = z.output<typeof Post>;
const Envelope = z.object({
  items: z.array(z.unknown()),
  has_more: z.boolean().optional(),
  backoff: z.number().optional(),
  quota_remaining: z.number().optional(),
});

interface PostsPage {
  readonly posts: readonly Post[];
  readonly hasMore: boolean;
  /** How long this call must not be made again, in milliseconds. */
  readonly backoffMs: number | null;
  readonly pauseMs: number | null;
}

function* readSite(part: FeedPart, settings: Settings, stored: unknown, now: Instant): FeedReader {
  const known = Cursor.safeParse(stored);
  const since = known.success ? known.data.since : Math.floor((now - FIRST_MS) / SECOND);
  const tag = part.id.split(" ")[1];
  const sorted = { sort: "activity", order: "asc", min: String(since) };
  const [listed] = yield [
    ask(part, settings, "questions", { ...sorted, ...(tag === undefined ? {} : { tagged: tag }) }),
  ];
  const questions = readAnswer(listed);
  const last = Math.max(since, ...questions.posts.map(({ last_activity_date: at }) => at ?? 0));
  const ids = questions.posts.flatMap(({ question_id: id }) => id ?? []);
  // A question that is active has a new answer, or an edited one.
  const answers: Post[] = [];
  let pauseMs = questions.pauseMs;
  for (let page = 1; ids.length > 0; page++) {
    const path = `questions/${ids.join(";")}/answers`;
    const [answer] = yield [ask(part, settings, path, { ...sorted, page: String(page) })];
    const read = readAnswer(answer);
    answers.push(...read.posts);
    pauseMs = longer(pauseMs, read.pauseMs);
    if (!read.hasMore) break;
    if (read.backoffMs !== null || page >= MOST_PAGES) {
      // Begun anew next time, as the question would not come again.
      const items = toItems([...questions.posts, ...answers], part, titlesOf(questions.posts));
      return { items, deletes: [], cursor: { since }, ...pauseOf(longer(pauseMs, read.backoffMs ?? MINUTE)) };
    }
  }
  const items = toItems([...questions.posts, ...answers], part, titlesOf(questions.posts));
  // A hundred in one second would be the same page for ever.
  const next = questions.hasMore && last === since ? last + 1 : last;
  if (questions.hasMore && questions.backoffMs !== null) pauseMs = longer(pauseMs, questions.backoffMs);
  return { items, deletes: [], cursor: { since: next }, more: questions.hasMore, ...pauseOf(pauseMs) };
}

const MOST_PAGES = 10;

function longer(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function pauseOf(pauseMs: number | null): Pick<FeedRead, "pauseMs"> {
  return pauseMs === null ? {} : { pauseMs };
}

function ask(
  part: FeedPart,
  { key }: Settings,
  path: string,
  parameters: Readonly<Record<string, string>>,
): FeedRequest {
  const url = new URL(`${part.url?.replace(/\/$/, "")}/${path}`);
  const site = part.id.split(" ")[0] ?? "";
  const all = {
    site,
    filter: "withbody",
    pagesize: String(PAGE),
    ...parameters,
    ...(key === undefined ? {} : { key }),
  };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return { url: url.href, accepts: [400, 401, 402, 403, 404, 405, 429, 500, 502, 503] };
}

/** Errors come with a body that says more than their status. */
function readAnswer(answer: FeedAnswer | undefined): PostsPage {
  const json = answer?.json;
  const read = Envelope.safeParse(json);
  if (answer?.status === 200 && read.success) {
    const { items, has_more: hasMore = false, backoff, quota_remaining: left } = read.data;
    const posts = items.flatMap((item) => {
      const post = Post.safeParse(item);
      return post.success ? [post.data] : [];
    });
    const backoffMs = backoff === undefined ? null : Math.min(Math.max(1, backoff) * SECOND, DAY);
    return { posts, hasMore, backoffMs, pauseMs: left !== undefined && left < FEW_CALLS ? HOUR : null };
  }
  const name: unknown = Reflect.get(Object(json), "error_name");
  const given: unknown = Reflect.get(Object(json), "error_message");
  const message = typeof given === "string" ? textOfHtml(given).slice(0, 200) : "";
  if (name === "throttle_violation" || answer?.status === 429) {
    const seconds = /available in (\d+) seconds/i.exec(message)?.[1];
    const retryAfterMs = seconds === undefined ? 10 * MINUTE : Math.min(Number(seconds) * SECOND, DAY);
    throw new FeedError(`we ask it too often: ${message || "it does not say for how long"}`, {
      retryAfterMs,
    });
  }
  if (message !== "") throw new FeedError(`it refuses the call: ${message}`);
  throw new FeedError(`its answer is no list of posts (status ${answer?.status ?? 0})`);
}

function titlesOf(questions: readonly Post[]): ReadonlyMap<number, string> {
  return new Map(
    questions.flatMap(({ question_id: id, title }) => (id !== undefined && title ? [[id, title]] : [])),
  );
}

/** Titles and names are escaped as in HTML. An answer goes by the title of its question, if that is at hand. */
function toItems(posts: readonly Post[], part: FeedPart, titles: ReadonlyMap<number, string>): FeedItem[] {
  const site = part.id.split(" ")[0] ?? "";
  return posts.flatMap((post) => {
    const { body, link, owner, creation_date: created, score, answer_count: comments } = post;
    const id = post.answer_id ?? post.post_id ?? post.question_id;
    if (id === undefined || body === undefined) return [];
    const isReply = post.answer_id !== undefined;
    const title = post.title ?? (isReply ? titles.get(post.question_id ?? 0) : undefined);
    const item: FeedItem = {
      // Questions and answers of a site are numbered together.
      id: `${site} ${id}`,
      url: link ?? null,
      title: title === undefined ? null : textOfHtml(title),
      body: { html: body },
      publishedAt: created * SECOND,
      author: owner?.display_name === undefined ? null : textOfHtml(owner.display_name),
      site,
      isReply,
      engagement: { likes: score, comments },
    };
    return [item];
  });
}

function* recheckPosts(stored: readonly StoredItem[], part: FeedPart, settings: Settings): Recheck {
  const numbered = stored.flatMap(({ id }) => {
    const number = /^\S+ (\d+)$/.exec(id)?.[1];
    return number === undefined ? [] : [{ id, number }];
  });
  const path = `posts/${numbered.map(({ number }) => number).join(";")}`;
  const [answer] = yield [ask(part, settings, path, {})];
  const { posts, hasMore, pauseMs, backoffMs } = readAnswer(answer);
  const there = new Set(posts.map(({ post_id: id }) => String(id)));
  // A site that knows none of many posts is at fault itself.
  const isSiteThere = !hasMore && (numbered.length < MANY || there.size > 0);
  const gone = numbered
    .filter(({ number }) => !there.has(number))
    .map(({ id }) => ({ id, reason: "the site does not have it any more", isSiteThere }));
  return { items: [], deletes: [], gone, ...pauseOf(longer(pauseMs, backoffMs)) };
}

const MANY = 10;

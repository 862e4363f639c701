import { z } from "zod";
import { HttpAddress } from "../../lib/http-address.ts";
import { DAY, type Instant, MINUTE, SECOND, toIso } from "../../lib/instant.ts";
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

const PUBLIC = "https://api.github.com";

/** Public issues and pull requests of GitHub that a search finds, new ones and those that something happened to. */
export const github = defineFeed({
  kind: "github",
  about: "Public issues and pull requests of GitHub that a search finds.",
  config: z.strictObject({
    kind: z.literal("github").describe("Public issues and pull requests of GitHub that a search finds."),
    ...FetchedKeys,
    search: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe('What GitHub is searched for, in its own language. Example: "acme corp" -org:acme'),
    token: z.string().trim().min(1).exactOptional().meta({
      description:
        "Access token of an account, without any right: more calls an hour. Private things are left out with it, too.",
      writeOnly: true,
    }),
    baseUrl: HttpAddress.default(PUBLIC).describe(
      "Address of the interface, for an Enterprise server or a test.",
    ),
  }),
  policy: {
    version: 1,
    storedCharacters: null,
    sentOut: "an excerpt, with author and link",
    deletesLearntBy:
      "asking for stored items again, for 30 days: one that GitHub does not have any more goes",
    terms: "the terms of the GitHub API",
  },
  // Ten searches a minute are allowed without a token.
  pace: { everyMs: 7 * SECOND, atOnce: 1 },
  everyMs: 10 * MINUTE,
  pageType: "forum",
  parts: ({ search, name, baseUrl }) => {
    const server = serverOf(baseUrl);
    const id = server === "" ? search : `${server} ${search}`;
    return [{ id, name: name ?? `GitHub: ${search}`, url: baseUrl }];
  },
  read: readSearches,
  recheck: { most: 8, read: recheckIssues },
});

type Settings = { readonly token?: string; readonly search: string };

/** Each server counts its issues from 1. Empty for the public one. */
function serverOf(baseUrl: string | null): string {
  const { origin = PUBLIC } = parseUrl(baseUrl ?? PUBLIC) ?? {};
  return origin === PUBLIC ? "" : origin;
}

/** A search has to say which of the two it wants. */
const TYPES = ["is:issue", "is:pull-request"] as const;
const Since = z.number().exactOptional();
/** Until when everything was read, by type. */
const Cursor = z.object({
  "is:issue": Since,
  "is:pull-request": Since,
  left: z.array(z.string()).exactOptional(),
});
const FIRST_MS = DAY;
/** Changes are found some time after they were made. */
const OVERLAP_MS = 5 * MINUTE;
const PAGE = 100;

const Issue = z.object({
  id: z.int(),
  url: z.string(),
  html_url: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  comments: z.number().nullish(),
  user: z.object({ login: z.string() }).nullish(),
  reactions: z.object({ total_count: z.number().optional() }).nullish(),
  repository: z.object({ private: z.boolean().optional() }).nullish(),
});
type Issue = z.output<typeof Issue>;
const Found = z.object({ items: z.array(z.unknown()), incomplete_results: z.boolean().optional() });

function* readSearches(part: FeedPart, settings: Settings, stored: unknown, now: Instant): FeedReader {
  const known = Cursor.safeParse(stored);
  const { left: before = [], ...since } = known.success ? known.data : { left: [] };
  const types = TYPES.filter((type) => before.length === 0 || before.includes(type));
  const items: FeedItem[] = [];
  const left: string[] = [];
  let isIncomplete = false;
  let pauseMs: number | null = null;
  for (const type of types) {
    const last = since[type];
    const from = last === undefined ? now - FIRST_MS : before.length > 0 ? last : last - OVERLAP_MS;
    const [answer] = yield [searchFor(part, settings, type, from)];
    const found = readFound(answer, settings, now);
    items.push(...found.issues.map((issue) => toItem(issue, part)));
    isIncomplete ||= found.isIncomplete;
    const newest = Math.max(from, ...found.issues.flatMap(({ updated_at: at }) => readFeedDate(at) ?? []));
    const isFull = found.issues.length >= PAGE;
    if (isFull) left.push(type);
    // A hundred that were changed in one second would be the same page for ever.
    // Where our clock is ahead, what comes until then would be passed over.
    const until = Math.min(now, readFeedDate(answer?.header("date")) ?? now);
    since[type] = isFull ? (newest === from ? from + SECOND : newest) : isIncomplete ? from : until;
    pauseMs = answer === undefined ? null : askedPause(answer.header, now);
    if (pauseMs !== null) {
      left.push(...types.slice(types.indexOf(type) + 1));
      break;
    }
  }
  return {
    ...{ items, deletes: [], more: left.length > 0 },
    cursor: { ...definedOf(since), ...(left.length > 0 ? { left } : {}) },
    ...(isIncomplete ? { problem: "GitHub did not finish the search in time; it is repeated" } : {}),
    ...(pauseMs === null ? {} : { pauseMs }),
  };
}

function definedOf(since: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(since).filter((one): one is [string, number] => one[1] !== undefined),
  );
}

function searchFor(part: FeedPart, settings: Settings, type: string, from: Instant): FeedRequest {
  const url = new URL(`${part.url?.replace(/\/$/, "")}/search/issues`);
  const q = `${settings.search} ${type} is:public updated:>=${toIso(from).slice(0, 19)}Z`;
  const parameters = { q, sort: "updated", order: "asc", per_page: String(PAGE) };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, accepts: [401, 403, 404, 422, 429], headers: headersOf(settings) };
}

function headersOf({ token }: Settings): Record<string, string> {
  return {
    ...{ accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
}

function readFound(
  answer: FeedAnswer | undefined,
  settings: Settings,
  now: Instant,
): { issues: Issue[]; isIncomplete: boolean } {
  const json = answer?.json;
  refuseError(answer, json, settings, now);
  const read = Found.safeParse(json);
  if (!read.success) throw new FeedError("its answer is no result of a search; is it GitHub's interface?");
  const issues = read.data.items.flatMap((item) => {
    const issue = Issue.safeParse(item);
    return issue.success && issue.data.repository?.private !== true ? [issue.data] : [];
  });
  return { issues, isIncomplete: read.data.incomplete_results === true };
}

/** GitHub says with 403 that a login has no right, and also that it is asked too often. */
function refuseError(answer: FeedAnswer | undefined, json: unknown, { token }: Settings, now: Instant): void {
  const { status = 0 } = answer ?? {};
  if (status === 200) return;
  const retryAfterMs = tooOftenMs(answer, json, now);
  if (retryAfterMs !== null) {
    const more = token === undefined ? "; a token allows more calls" : "";
    throw new FeedError(`GitHub is asked too often (status ${status})${more}`, { retryAfterMs });
  }
  if (status === 401) throw new FeedError("GitHub does not take the token (status 401); make a new one");
  throw new FeedError(`GitHub refuses the search: ${messageIn(json) ?? `status ${status}`}`);
}

/** How long it wants to be left alone, where it says that it is asked too often; null: it does not. */
function tooOftenMs(answer: FeedAnswer | undefined, json: unknown, now: Instant): number | null {
  const pause = answer === undefined ? null : askedPause(answer.header, now);
  const isLimit = answer?.status === 429 || /rate limit|abuse/i.test(messageIn(json) ?? "");
  return pause ?? (isLimit ? MINUTE : null);
}

function messageIn(json: unknown): string | null {
  const given: unknown = Reflect.get(Object(json), "message");
  return typeof given === "string" ? given.slice(0, 200) : null;
}

function toItem(issue: Issue, { url }: FeedPart): FeedItem {
  const repository = /\/repos\/([\w.-]+\/[\w.-]+)\/issues\/\d+$/.exec(issue.url);
  return {
    ...{ id: String(issue.id), scope: serverOf(url) },
    ...(repository === null ? {} : { reference: repository[0].slice("/repos/".length) }),
    url: issue.html_url,
    title: issue.title,
    body: issue.body == null || issue.body.trim() === "" ? null : { text: withoutComments(issue.body) },
    publishedAt: readFeedDate(issue.created_at),
    author: issue.user?.login ?? null,
    site: repository?.[1] ?? "GitHub",
    engagement: { likes: issue.reactions?.total_count, comments: issue.comments ?? undefined },
  };
}

/** Templates of issues are full of instructions that nobody sees. */
function withoutComments(markdown: string): string {
  return markdown
    .split("<!--")
    .map((part, index) => (index === 0 ? part : (part.split("-->")[1] ?? "")))
    .join("");
}

function* recheckIssues(
  stored: readonly StoredItem[],
  part: FeedPart,
  settings: Settings,
  now: Instant,
): Recheck {
  const deletes: FeedRead["deletes"][number][] = [];
  const items: FeedItem[] = [];
  const lost: string[] = [];
  const unanswered: StoredItem[] = [];
  for (const [index, item] of stored.entries()) {
    const { id, reference } = item;
    if (reference === null) continue;
    const url = `${part.url?.replace(/\/$/, "")}/repos/${reference}`;
    const [answer] = yield [{ url, accepts: [403, 404, 410, 429, 451], headers: headersOf(settings) }];
    const { status = 0, json } = answer ?? {};
    // GitHub answers 404 for what is private, and 410 for what was deleted.
    const isAnswer = typeof json === "object" && json !== null;
    if (status === 404 && isAnswer) lost.push(id);
    else if ((status === 410 || status === 451) && isAnswer)
      deletes.push({ id, reason: "GitHub does not show it any more" });
    // One of a repository that is blocked must not keep the others from being looked at.
    else if (status === 403 && tooOftenMs(answer, json, now) === null) unanswered.push(item);
    else if (status !== 200) refuseError(answer, json, settings, now);
    const issue = Issue.safeParse(json);
    if (status === 200 && issue.success && String(issue.data.id) === id) items.push(toItem(issue.data, part));
    const pauseMs = answer === undefined ? null : askedPause(answer.header, now);
    if (pauseMs !== null) {
      unanswered.push(...stored.filter((one) => lost.includes(one.id)), ...stored.slice(index + 1));
      return { items, deletes, pauseMs, unanswered };
    }
  }
  if (lost.length === 0) return { items, deletes, unanswered };
  // Something that is there for everybody, also for a token that has lost its rights.
  const url = `${part.url?.replace(/\/$/, "")}/rate_limit`;
  const [control] = yield [{ url, accepts: [403, 404], headers: headersOf(settings) }];
  const isSiteThere = items.length > 0 || typeof Reflect.get(Object(control?.json), "resources") === "object";
  const gone = lost.map((id) => ({ id, reason: "GitHub does not show it any more", isSiteThere }));
  return { items, deletes, gone, unanswered };
}

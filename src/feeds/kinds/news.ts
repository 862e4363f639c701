import { z } from "zod";
import { compile } from "#listening-api";
import { closestWord } from "../../lib/closest-word.ts";
import type { Issue } from "../../lib/errors.ts";
import { HttpAddress } from "../../lib/http-address.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from "../../lib/instant.ts";
import { stableHash } from "../../lib/json.ts";
import { cutText, nameSome, trimFullStops } from "../../lib/text.ts";
import {
  defineFeed,
  type FeedAnswer,
  type FeedContext,
  type FeedItem,
  type FeedPart,
  type FeedReader,
  FetchedKeys,
} from "../common/define-feed.ts";
import { readFeedDate } from "../common/feed-date.ts";
import { FeedError } from "../common/feed-error.ts";
import { MOST_PAGES, pageReference, recheckPages } from "../common/recheck-pages.ts";
import { searchOfQuery } from "./news/search-of-query.ts";

/** The languages that the source knows, by their two letters. */
const CODES = (
  "af sq ar hy az bn bs bg ca zh hr cs da nl en et fi fr gl ka de el gu he hi hu is id it ja kn kk ko lv lt mk ms " +
  "ml mr mn ne no fa pl pt pa ro ru sr si sk sl so es sw sv ta te th tr uk ur vi"
).split(" ");

let names: ReadonlyMap<string, string> | undefined;

/** The name of a language, as the source writes it. They take 20 ms to look up, which no other command should wait for. */
function languageName(code: string): string {
  names ??= new Map(CODES.map((one) => [one, englishName(one)]));
  return names.get(code) ?? code;
}

function englishName(code: string): string {
  return (new Intl.DisplayNames("en", { type: "language" }).of(code) ?? code).toLowerCase();
}

/** Headlines of news sites of the whole world, found by GDELT for the words of each query. */
export const news = defineFeed({
  kind: "news",
  about: "Headlines of news sites of the whole world, searched by GDELT with the words of your queries.",
  config: z.strictObject({
    kind: z.literal("news").describe("News of the whole world, searched with the words of your queries."),
    ...FetchedKeys,
    for: z
      .array(z.string().trim().min(1))
      .min(1, "name at least one query, or leave `for` out for all")
      .exactOptional()
      .describe("Names of the queries to search for. Default: all. Example: [Acme, Rival]"),
    languages: z
      .array(
        z.string().refine((code) => CODES.includes(code), {
          error: "expected the two letters of a language that GDELT knows, such as en",
        }),
      )
      .default([])
      .describe("Only articles in these languages. Default: any. Example: [en, de]"),
    baseUrl: HttpAddress.default("https://api.gdeltproject.org/api/v2/doc/doc").describe(
      "Address of the search, for a mirror or a test.",
    ),
  }),
  policy: {
    version: 2,
    storedCharacters: null,
    sentOut: "headline and link",
    deletesLearntBy: "the page of an article, asked for again where robots.txt allows it: 404 and 410",
    terms: "GDELT: any use, with a mention of the GDELT Project and a link to it",
  },
  // GDELT asks for one request every 5 seconds at most. One feed does them one after the other.
  pace: { everyMs: 6 * SECOND, atOnce: 1 },
  everyMs: 15 * MINUTE,
  pageType: "news",
  faults({ for: wanted }, { queries }) {
    const faults: Issue[] = (wanted ?? []).flatMap((name, index) => {
      const query = queries.find((one) => one.name === name);
      const path = ["for", index];
      if (query === undefined) {
        const known = queries.map((one) => one.name);
        const meant = closestWord(name, known);
        const message = `there is no query "${name}" (there are: ${nameSome(known)})`;
        return [{ path, message, ...(meant === undefined ? {} : { suggestion: meant }) }];
      }
      if (!compile(query.text).ok) return [];
      const n = searchesOf(query, []).length;
      if (n === 0) return [{ path, message: `the query "${name}" ${UNSEARCHABLE}` }];
      const message = `the query "${name}" has too many alternatives to be searched for (${MOST_SEARCHES * MOST_ALTERNATIVES} at most)`;
      return n > MOST_SEARCHES ? [{ path, message }] : [];
    });
    return faults;
  },
  parts({ for: wanted, languages, baseUrl, name }, { queries }) {
    const named = queries.filter((query) => wanted === undefined || wanted.includes(query.name));
    const searched = named.filter((query) => {
      const n = searchesOf(query, languages).length;
      return n > 0 && n <= MOST_SEARCHES;
    });
    const searches = [...new Set(searched.flatMap((query) => searchesOf(query, languages)))];
    const names = searched.map((query) => query.name).join(", ");
    return [
      {
        id: stableHash([wanted === undefined ? null : [...wanted].sort(), [...languages].sort()]),
        name: name ?? `news: ${names}`.slice(0, 100),
        url: baseUrl,
        searches,
      },
    ];
  },
  read: readNews,
  recheck: { most: MOST_PAGES, asksPages: true, read: recheckPages },
});

const UNSEARCHABLE =
  "cannot be searched for: it needs a word of three letters or more without a wildcard in each of its alternatives";
/** The source refuses long searches, and does not say where they begin. */
const MOST_ALTERNATIVES = 8;
const LONGEST_SEARCH = 200;
/** Of one query: more would take longer than the time between two fetches. */
const MOST_SEARCHES = 30;

/** The searches that together find whatever the query could match. */
function searchesOf({ text }: FeedContext["queries"][number], languages: readonly string[]): string[] {
  const compiled = compile(text);
  const alternatives = compiled.ok ? searchOfQuery(compiled.query.expression) : null;
  const groups: string[][] = [];
  for (const phrase of alternatives ?? []) {
    const quoted = /^[\p{L}\p{N}]+$/u.test(phrase) ? phrase : `"${phrase.replaceAll('"', " ")}"`;
    const group = groups.at(-1);
    const isFull =
      group === undefined ||
      group.length >= MOST_ALTERNATIVES ||
      [...group, quoted].join(" OR ").length > LONGEST_SEARCH;
    if (isFull) groups.push([quoted]);
    else group.push(quoted);
  }
  const inLanguages = anyOf(languages.map((code) => `sourcelang:${languageName(code)}`));
  return groups.map((group) => `${anyOf(group)} ${inLanguages}`.trim());
}

/** Brackets around anything but alternatives are refused. */
function anyOf(terms: readonly string[]): string {
  return terms.length > 1 ? `(${terms.join(" OR ")})` : (terms[0] ?? "");
}

/** `since`: until when each search is complete. `left`: the searches that the next part of this fetch goes on with. */
const Cursor = z.object({ since: z.record(z.string(), z.number()), left: z.array(z.string()).optional() });

const MOST_RECORDS = 250;
const FIRST_MS = DAY;
/** The source's memory. */
const FURTHEST_MS = 80 * DAY;
/** Articles are found some time after the moment that they are listed under. */
const OVERLAP_MS = 2 * HOUR;
/** Shorter spans are refused, and articles are listed in steps of this. */
const STEP_MS = 15 * MINUTE;

function* readNews(part: FeedPart, _settings: unknown, stored: unknown, now: Instant): FeedReader {
  const { searches = [] } = part;
  if (searches.length === 0)
    throw new FeedError(`none of its queries can be searched for: each ${UNSEARCHABLE}`);
  const known = Cursor.safeParse(stored);
  const cursor = known.success ? known.data : { since: {} };
  const going = cursor.left?.filter((search) => searches.includes(search)) ?? [];
  const since = new Map(searches.map((search) => [search, cursor.since[search]]));
  const items: FeedItem[] = [];
  const problems: string[] = [];
  const left: string[] = [];
  for (const search of going.length > 0 ? going : searches) {
    const before = since.get(search);
    const earliest = before === undefined ? now - FIRST_MS : going.length > 0 ? before : before - OVERLAP_MS;
    const from = Math.min(Math.max(earliest, now - FURTHEST_MS), now - STEP_MS);
    // One at a time: the next request is counted from the end of this one.
    const [answer] = yield [{ url: addressOf(part.url ?? "", search, from, now), reads: "loose json" }];
    const found = articlesIn(answer);
    if (typeof found === "string") {
      problems.push(found);
      continue;
    }
    items.push(...found.flatMap((article) => toItem(article) ?? []));
    const newest = Math.max(from, ...found.flatMap(({ seendate }) => readFeedDate(seenDate(seendate)) ?? []));
    // The oldest come first: a full answer goes on where it ends.
    const isFull = found.length >= MOST_RECORDS && newest < now - STEP_MS;
    const isStuck = isFull && newest <= from;
    if (isStuck) problems.push(`GDELT has more than ${MOST_RECORDS} articles for a quarter of an hour`);
    if (isFull) left.push(search);
    since.set(search, isStuck ? from + STEP_MS : isFull ? newest : now);
  }
  // All the same fault: nothing was received.
  if (problems.length > 0 && items.length === 0 && left.length === 0) throw new FeedError(problems[0] ?? "");
  const complete = Object.fromEntries(
    [...since].filter((one): one is [string, number] => one[1] !== undefined),
  );
  return {
    ...{ items, deletes: [], more: left.length > 0 },
    cursor: { since: complete, ...(left.length > 0 ? { left } : {}) },
    problem: problems[0],
  };
}

function addressOf(base: string, search: string, from: Instant, to: Instant): string {
  const url = new URL(base);
  const stamp = (at: Instant) => toIso(at).replaceAll(/\D/g, "").slice(0, 14);
  const parameters = {
    ...{ query: search, mode: "artlist", format: "json", sort: "dateasc" },
    ...{ maxrecords: String(MOST_RECORDS), startdatetime: stamp(from), enddatetime: stamp(to) },
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

const Article = z.object({
  url: z.string(),
  title: z.string(),
  seendate: z.string().optional(),
  domain: z.string().optional(),
  language: z.string().optional(),
  sourcecountry: z.string().optional(),
});
const Articles = z.object({ articles: z.array(z.unknown()).optional() });

/** The articles, or the sentence that stands there instead of them: the status is 200 all the same. */
function articlesIn(answer: FeedAnswer | undefined): z.output<typeof Article>[] | string {
  const body = (answer?.start ?? "").trim();
  // Nothing was found.
  if (body === "") return [];
  const read = Articles.safeParse(answer?.json);
  if (read.success && (read.data.articles !== undefined || /^\{\s*\}$/.test(body)))
    return (read.data.articles ?? []).flatMap((article) => {
      const found = Article.safeParse(article);
      return found.success ? [found.data] : [];
    });
  if (/^[<{[]/.test(body)) return "GDELT answers something else than a list of articles";
  const reply = trimFullStops(body.replaceAll(/\s+/g, " ").slice(0, 200));
  if (/limit requests|every 5 seconds/i.test(reply))
    throw new FeedError("GDELT is asked too often from this address", { retryAfterMs: 5 * MINUTE });
  return `GDELT refuses the search: ${reply}`;
}

const LONGEST_TITLE = 1_000;

function toItem({
  url,
  title,
  seendate,
  language,
  domain,
  sourcecountry,
}: z.output<typeof Article>): FeedItem | null {
  // The search parts signs from words. Blanks first, as looking for what follows them takes the square of their number.
  const headline = cutText(title.replaceAll(/\s+/g, " "), LONGEST_TITLE)
    .replaceAll(/ ([,.;:!?%)\]}»”’])/g, "$1")
    .replaceAll(/([([{«“]) /g, "$1")
    .replaceAll(/(\p{L}) ' (s|t|re|ve|ll|d|m)\b/giu, "$1'$2")
    .trim();
  if (headline === "" || !/^https?:\/\//i.test(url)) return null;
  return {
    ...{ id: url, url, title: headline, body: null, author: null, ...pageReference(url) },
    publishedAt: readFeedDate(seenDate(seendate)),
    site: domain ?? null,
    language: CODES.find((code) => languageName(code) === language?.toLowerCase()) ?? null,
    country: sourcecountry?.trim() || null,
  };
}

/** `20260923T123000Z`. */
function seenDate(text = ""): string | null {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)Z?$/.exec(text.trim()) ?? [];
  return year === undefined ? null : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}

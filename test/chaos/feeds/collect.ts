import type { Pool } from "pg";
import { RECEIVED_TYPE } from "../../../src/listening-api/store/received-items.ts";
import { tracesIn, tracesInQueue, tracesInTables } from "../../flows/find-traces.ts";
import { type LedgerLine, mostByChance } from "../ledger.ts";
import { AUTHOR_WORD, goneWords, type Item, queriesOf, TEXT_WORD } from "./items.ts";
import type { FeedWorld } from "./world.ts";

export const SEEN_TWICE = "messages seen twice";
export const MAILED_AGAIN = "mails that came again under one Message-ID";
export const ABOUT_NOBODY = "messages about nobody who stands or stood";

/**
 * Compares what the sources hold with both sets of tables, counts, alerts and messages. Reads only.
 *
 * @param repeatsExpected how many mails come again in a run like this one, by the theory: see docs/reliability.md
 * @param repeatedBeside mails that a kill repeated beside another one: the theory counts that kill once
 */
export async function compareFeeds(
  world: FeedWorld,
  items: readonly Item[],
  { repeatsExpected, repeatedBeside }: { readonly repeatsExpected: number; readonly repeatedBeside: number },
): Promise<LedgerLine[]> {
  const { pool, slack, smtp } = world;
  const standing = items.filter(({ isGone }) => !isGone);
  const due = standing.flatMap((item) => queriesOf(item).map((query) => ({ query, item })));
  // Which text it is, so that an old one is missing and unknown at once.
  const texts = due.map(({ query, item }) => `${query} ${item.feed} ${item.n} text ${item.texts.length - 1}`);
  const local = await shownIn(
    pool,
    items,
    `select q.name as query, to_jsonb(m)::text as row from local_api.mention m
     join local_api.query q on q.id = m.query_id
     where q.type <> $1 and superseded_at = 'infinity' and visible_at <= now()`,
    [RECEIVED_TYPE],
  );
  const monitored = await shownIn(
    pool,
    items,
    `select q.name as query, to_jsonb(m)::text as row from earshot.mentions m
     join earshot.queries q using (project_id, query_id)`,
  );
  const { rows: counted } = await pool.query<{ query: string; n: string }>(
    `select q.name as query, sum(c.n) as n from earshot.counts c join earshot.queries q using (project_id, query_id)
     group by 1`,
  );
  const counts = new Map(counted.map(({ query, n }) => [query, Number(n)]));
  const inAll = (query: string) => due.filter((one) => one.query === query).length;
  const miscounted = (sign: 1 | -1) =>
    ["Acme", "Rival"].flatMap((query) => {
      const off = ((counts.get(query) ?? 0) - inAll(query)) * sign;
      return Array<string>(Math.max(0, off)).fill(query);
    });
  const authors = [...new Set(due.map(({ query, item }) => `${query} ${item.author}`))];
  const { rows: alerted } = await pool.query<{ key: string }>(
    `select q.name || ' ' || (a.labels->>'author') as key from earshot.alerts a
     join earshot.queries q using (project_id, query_id) where a.rule = 'everybody' and a.labels->>'author' like '%zqa%'`,
  );
  const alerts = alerted.map(({ key }) => key.replace("did:plc:", ""));
  const posts = (await slack.messages()).filter(
    ({ metadata }) => metadata !== null && metadata.payload["part"] === undefined,
  );
  const posted = posts.flatMap(({ text, blocks }) => messageKeys(text + JSON.stringify(blocks), "#comms"));
  const ids = smtp.mails.map(({ parsed }, n) => parsed.messageId ?? `none ${n}`);
  const mails = smtp.mails.filter((_, n) => ids.indexOf(ids[n] ?? "") === n);
  const mailed = mails.flatMap(({ parsed }) => messageKeys(String(parsed.text), "mail"));
  const sent = [...posted, ...mailed];
  const ofReaders = ["#comms", "mail"].flatMap((reader) => authors.map((key) => `${reader} ${key}`));
  const isDue = new Set(ofReaders);
  const lines = [
    ...storedLines("local API", texts, local),
    ...storedLines("monitor", texts, monitored),
    line("mentions not counted", due.length, miscounted(-1)),
    line("mentions counted twice or kept counted", due.length, miscounted(1)),
    line("alerts lost", authors.length, missing(authors, alerts)),
    line("alerts twice", authors.length, repeated(alerts)),
    line("messages lost", ofReaders.length, missing(ofReaders, sent)),
    line(SEEN_TWICE, sent.length, repeated(sent)),
    line(MAILED_AGAIN, ids.length, repeated(ids).slice(repeatedBeside), mostByChance(repeatsExpected)),
    line(ABOUT_NOBODY, sent.length, missing(sent, [...isDue, ...ofGone(items)])),
  ];
  return lines;
}

/** Where words of deleted items, edited-away texts and removed accounts still stand. Reads every table, so it is slow. */
export async function leftBehind(world: FeedWorld, items: readonly Item[]): Promise<LedgerLine> {
  const words = goneWords(items);
  const found = [
    ...(await tracesInTables(world.databaseUrl, words)),
    ...(await tracesInQueue(world.queue, words)),
    ...tracesIn("Slack", await world.slack.messages(), words),
  ];
  return line("deleted texts and authors left", words.length, [...new Set(found)]);
}

async function shownIn(
  pool: Pool,
  items: readonly Item[],
  sql: string,
  values: readonly unknown[] = [],
): Promise<string[]> {
  const { rows } = await pool.query<{ query: string; row: string }>(sql, [...values]);
  return rows.flatMap(({ query, row }) => {
    const words = new Set(
      [...row.matchAll(TEXT_WORD)].map(
        ([, n, version]) => `${query} ${items[Number(n) - 1]?.feed} ${n} text ${version}`,
      ),
    );
    return [...words];
  });
}

function storedLines(where: string, due: readonly string[], stored: readonly string[]): LedgerLine[] {
  return [
    line(`lost in the ${where}`, due.length, missing(due, stored)),
    line(`twice in the ${where}`, due.length, repeated(stored)),
    line(`gone or old, in the ${where}`, stored.length, missing(stored, due)),
  ];
}

/** Reader, query and author of a message: the query is named in it. */
function messageKeys(text: string, reader: string): string[] {
  const author = text.match(AUTHOR_WORD)?.[0];
  const query = /\b(Acme|Rival)\b/.exec(text)?.[1];
  return author === undefined || query === undefined ? [] : [`${reader} ${query} ${author}`];
}

/** Who is gone may have been notified before. */
function ofGone(items: readonly Item[]): string[] {
  return items
    .filter(({ isGone }) => isGone)
    .flatMap((item) =>
      queriesOf(item).flatMap((query) => [`#comms ${query} ${item.author}`, `mail ${query} ${item.author}`]),
    );
}

export function line(
  what: string,
  of: number,
  wrong: readonly string[],
  limit: number | null = 0,
): LedgerLine {
  return {
    what,
    of,
    wrong: wrong.length,
    limit,
    broken: limit !== null && wrong.length > limit,
    examples: wrong.slice(0, 3),
  };
}

function missing(due: readonly string[], there: readonly string[]): string[] {
  const known = new Set(there);
  return due.filter((key) => !known.has(key));
}

function repeated(keys: readonly string[]): string[] {
  const seen = new Set<string>();
  return keys.filter((key) => seen.size === seen.add(key).size);
}

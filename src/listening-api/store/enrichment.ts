import { randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { sha256 } from "../../lib/hashes.ts";
import type { JsonValue } from "../../lib/json.ts";
import { storableJson } from "../../lib/json.ts";
import type { MentionKey } from "./current-mentions.ts";
import type { Database } from "./database.ts";
import { lockQueries } from "./queries.ts";
import { lockWriting, projectsOfQueries } from "./write-order.ts";

export type EnrichmentKind = "sentiment" | "relevance" | "category";

/** A mention that a worker has to ask an analyser about, until its lease ends. */
export interface EnrichmentJob extends MentionKey {
  readonly kind: EnrichmentKind;
  /** Tries that began before this one. */
  readonly attempts: number;
}

/** Jobs of one worker. */
interface LeasedJobs {
  readonly lease: string;
  readonly jobs: readonly EnrichmentJob[];
}

/**
 * Queues mentions, in the caller's transaction: the one that stores them. A mention that is queued already begins anew,
 * because its text has changed, and an answer to its old text counts no more.
 */
export async function queueEnrichment(
  db: Database,
  kind: EnrichmentKind,
  mentions: readonly MentionKey[],
): Promise<void> {
  if (mentions.length === 0) return;
  await lockQueries(
    db,
    mentions.map(({ queryId }) => queryId),
  );
  await sql`
    insert into local_api.enrichment_job (query_id, resource_id, kind)
    select distinct query_id, resource_id, ${kind} from unnest(
      ${mentions.map(({ queryId }) => queryId)}::bigint[],
      ${mentions.map(({ resourceId }) => resourceId)}::text[]) as given (query_id, resource_id)
    order by 1, 2
    on conflict (query_id, resource_id, kind) do update set due_at = now(), attempts = 0, lease = null
  `.execute(db);
}

/** Takes due jobs of one kind for `leaseMs`; when that ends, another worker takes them. The oldest first. */
export async function leaseEnrichment(
  db: Database,
  kind: EnrichmentKind,
  { most, leaseMs }: { readonly most: number; readonly leaseMs: number },
): Promise<LeasedJobs> {
  const lease = randomUUID();
  const { rows } = await sql<{ query_id: string; resource_id: string; attempts: number }>`
    update local_api.enrichment_job job
    set lease = ${lease}, due_at = now() + ${leaseMs} * interval '1 millisecond', attempts = job.attempts + 1
    from (select query_id, resource_id, kind from local_api.enrichment_job
      where kind = ${kind} and due_at <= now() order by due_at limit ${most} for update skip locked) due
    where job.query_id = due.query_id and job.resource_id = due.resource_id and job.kind = due.kind
    returning job.query_id, job.resource_id, job.attempts`.execute(db);
  const jobs = rows.map((row) => ({
    kind,
    queryId: Number(row.query_id),
    resourceId: row.resource_id,
    attempts: row.attempts - 1,
  }));
  return { lease, jobs };
}

/** Those of the jobs that are still this worker's, locked until the transaction ends, with their projects and queries. */
export async function stillLeased(
  db: Database,
  lease: string,
  jobs: readonly EnrichmentJob[],
): Promise<EnrichmentJob[]> {
  const queryIds = jobs.map(({ queryId }) => queryId);
  await lockWriting(db, await projectsOfQueries(db, queryIds));
  await lockQueries(db, queryIds);
  const { rows } = await sql<{ query_id: string; resource_id: string }>`
    select query_id, resource_id from local_api.enrichment_job where lease = ${lease}
    order by query_id, resource_id for update`.execute(db);
  const own = new Set(rows.map((row) => `${row.query_id} ${row.resource_id}`));
  return jobs.filter(({ queryId, resourceId }) => own.has(`${queryId} ${resourceId}`));
}

/** Their answers are stored, or the mentions are gone. */
export async function finishEnrichment(
  db: Database,
  lease: string,
  jobs: readonly EnrichmentJob[],
): Promise<void> {
  await sql`
    with own as (${inOrder(sql<boolean>`lease = ${lease} and ${isOneOf(jobs)}`)})
    delete from local_api.enrichment_job job using own where ${isOwn}`.execute(db);
}

/** To be tried again after `delayMs`. `isCounted: false` when nobody was asked, so that it is no try. */
export async function postponeEnrichment(
  db: Database,
  lease: string,
  jobs: readonly EnrichmentJob[],
  { delayMs, isCounted }: { readonly delayMs: number; readonly isCounted: boolean },
): Promise<void> {
  await sql`
    with own as (${inOrder(sql<boolean>`lease = ${lease} and ${isOneOf(jobs)}`)})
    update local_api.enrichment_job job
    set lease = null, due_at = now() + ${delayMs} * interval '1 millisecond',
      attempts = attempts - ${isCounted ? 0 : 1}
    from own where ${isOwn}`.execute(db);
}

/** Locks jobs in the order in which mentions are queued: two that lock in two orders would wait for each other for ever. */
function inOrder(which: RawBuilder<boolean>) {
  return sql`select query_id, resource_id, kind from local_api.enrichment_job where ${which}
    order by query_id, resource_id, kind for update`;
}

const isOwn = sql<boolean>`(job.query_id, job.resource_id, job.kind) = (own.query_id, own.resource_id, own.kind)`;

function isOneOf(jobs: readonly MentionKey[]) {
  return sql<boolean>`(query_id, resource_id) in (select * from unnest(
    ${jobs.map(({ queryId }) => queryId)}::bigint[], ${jobs.map(({ resourceId }) => resourceId)}::text[]))`;
}

/** Deleted mentions wait for no answer. A worker that has one stores it no more. */
export async function endEnrichment(db: Database, mentions: readonly MentionKey[]): Promise<void> {
  if (mentions.length === 0) return;
  await sql`
    with own as (${inOrder(isOneOf(mentions))})
    delete from local_api.enrichment_job job using own where ${isOwn}`.execute(db);
}

/** A hash of an analyser and its instructions. Its answers are stored under this hash. */
export function askedHash(...parts: readonly string[]): Buffer {
  return sha256(JSON.stringify(parts));
}

/** Answers of earlier calls, by text. */
export async function readAnswers(
  db: Database,
  asked: Buffer,
  texts: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const byHash = new Map(texts.map((text) => [sha256(text).toString("hex"), text]));
  const { rows } = await sql<{ text_hash: Buffer; answer: unknown }>`
    select text_hash, answer from local_api.enrichment_answer
    where asked = ${asked} and text_hash = any(${[...byHash.keys()].map(fromHex)}::bytea[])`.execute(db);
  return new Map(rows.map((row) => [byHash.get(row.text_hash.toString("hex")) ?? "", row.answer]));
}

export async function putAnswers(
  db: Database,
  asked: Buffer,
  answers: ReadonlyMap<string, JsonValue>,
): Promise<void> {
  if (answers.size === 0) return;
  await sql`
    insert into local_api.enrichment_answer (text_hash, asked, answer)
    select text_hash, ${asked}, answer from unnest(
      ${[...answers.keys()].map(sha256)}::bytea[],
      ${[...answers.values()].map((answer) => storableJson(answer))}::jsonb[]) as given (text_hash, answer)
    order by 1
    on conflict (text_hash, asked) do update set answer = excluded.answer, at = now()`.execute(db);
}

/** When mentions are deleted: what was answered to their texts (`textForAnalyser`) goes, too. */
export async function forgetAnswers(db: Database, texts: readonly string[]): Promise<void> {
  await sql`
    delete from local_api.enrichment_answer where text_hash = any(${texts.map(sha256)}::bytea[])`.execute(db);
}

export async function hasAnswers(db: Database): Promise<boolean> {
  const { rows } = await sql`select from local_api.enrichment_answer limit 1`.execute(db);
  return rows.length > 0;
}

/** Answers and counts that nobody needs any more. */
export async function pruneEnrichment(db: Database, keepDays: number): Promise<void> {
  await sql`
    delete from local_api.enrichment_answer where at < now() - ${keepDays} * interval '1 day'`.execute(db);
  await sql`
    delete from local_api.enrichment_calls
    where day < (now() at time zone 'UTC')::date - ${keepDays}::integer`.execute(db);
}

/** Takes one call out of the day's budget; false when it is spent. The processes share one count. */
export async function takeCall(db: Database, analyser: string, perDay: number): Promise<boolean> {
  if (perDay < 1) return false;
  const { rows } = await sql`
    insert into local_api.enrichment_calls as made (day, analyser, calls)
    values ((now() at time zone 'UTC')::date, ${analyser}, 1)
    on conflict (day, analyser) do update set calls = made.calls + 1 where made.calls < ${perDay}
    returning calls`.execute(db);
  return rows.length > 0;
}

/** Says what a query means; null: nothing. Gives whether that is new. */
export async function putAbout(db: Database, queryId: number, about: string | null): Promise<boolean> {
  const { numAffectedRows } =
    about === null
      ? await sql`delete from local_api.query_about where query_id = ${queryId}`.execute(db)
      : await sql`
          insert into local_api.query_about as known (query_id, about) values (${queryId}, ${about})
          on conflict (query_id) do update set about = excluded.about where known.about <> excluded.about
        `.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

/**
 * Queues the newest mentions of these queries that nobody was asked about, such as those that a new query found in the
 * past: at most `most`, that came in the last `days`. With `again` also those that were judged. Gives how many.
 */
export async function queueUnjudged(
  db: Database,
  kind: EnrichmentKind,
  queryIds: readonly number[],
  { most, days, again }: { readonly most: number; readonly days: number; readonly again: boolean },
): Promise<number> {
  const judged = `${kind}:%`;
  const { numAffectedRows } = await sql`
    insert into local_api.enrichment_job (query_id, resource_id, kind)
    select query_id, resource_id, ${kind} from (
      select query_id, resource_id from local_api.mention
      where query_id = any(${queryIds}::bigint[]) and added > now() - ${days} * interval '1 day'
        and visible_at <= now() and superseded_at = 'infinity' and resource_type is distinct from 'deleted'
        and (${again} or not exists (select from unnest(classifications) one where one like ${judged}))
        and (${kind} <> 'sentiment' or sentiment is null)
      order by added desc, resource_id limit ${most}) newest
    order by 1, 2
    on conflict (query_id, resource_id, kind) do nothing`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** What these queries mean, of those that say it. */
export async function readAbouts(
  db: Database,
  queryIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ query_id: string; about: string }>`
    select query_id, about from local_api.query_about where query_id = any(${[...new Set(queryIds)]}::bigint[])
  `.execute(db);
  return new Map(rows.map((row) => [Number(row.query_id), row.about]));
}

function fromHex(text: string): Buffer {
  return Buffer.from(text, "hex");
}

import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import { at, type Db } from "./database.ts";

/** One edition of a digest: written before anything is sent, so two workers cannot make two. */
export interface DigestEdition {
  readonly projectId: string;
  readonly name: string;
  /** The local date at which it is due, in the digest's own zone. */
  readonly localDate: string;
  readonly periodFrom: Instant;
  readonly periodTo: Instant;
  readonly dueAt: Instant;
}

/** Digests span projects. */
export const ALL_PROJECTS = "all";

export function createDigestStore(db: Db) {
  return {
    /** Notes that an edition is due. A second caller for the same date changes nothing. */
    async announce(edition: DigestEdition): Promise<void> {
      await sql`
        insert into earshot.digests (project_id, name, local_date, period_from, period_to, due_at)
        values (${edition.projectId}, ${edition.name}, ${edition.localDate}, ${at(edition.periodFrom)},
          ${at(edition.periodTo)}, ${at(edition.dueAt)})
        on conflict do nothing
      `.execute(db);
    },

    /** The newest edition of a digest that was announced. */
    async latest(name: string): Promise<DigestEdition | null> {
      const { rows } = await sql<DigestEdition>`
        select ${COLUMNS} from earshot.digests where project_id = ${ALL_PROJECTS} and name = ${name}
        order by local_date desc limit 1
      `.execute(db);
      return rows[0] ?? null;
    },

    /** Editions announced and not built. */
    async due(): Promise<DigestEdition[]> {
      const { rows } = await sql<DigestEdition>`
        select ${COLUMNS} from earshot.digests where state = 'due' order by due_at
      `.execute(db);
      return rows;
    },

    /** Locks an edition that is still due until the transaction ends; null if it is built or being built. */
    async lockDue(projectId: string, name: string, localDate: string): Promise<DigestEdition | null> {
      const { rows } = await sql<DigestEdition>`
        select ${COLUMNS} from earshot.digests
        where project_id = ${projectId} and name = ${name} and local_date = ${localDate}::date and state = 'due'
        for update skip locked
      `.execute(db);
      return rows[0] ?? null;
    },

    async markBuilt(edition: DigestEdition, body: unknown, state: "built" | "skipped"): Promise<void> {
      await sql`
        update earshot.digests set state = ${state}, body = ${JSON.stringify(body)}::jsonb
        where project_id = ${edition.projectId} and name = ${edition.name} and local_date = ${edition.localDate}::date
      `.execute(db);
    },

    async body(projectId: string, name: string, localDate: string): Promise<unknown> {
      const { rows } = await sql<{ body: unknown }>`
        select body from earshot.digests
        where project_id = ${projectId} and name = ${name} and local_date = ${localDate}::date
      `.execute(db);
      return rows[0]?.body ?? null;
    },

    /** Mentions by query and sentiment whose moment lies in [from, to). */
    async counts(
      from: Instant,
      to: Instant,
    ): Promise<{ queryId: string; queryName: string; sentiment: string | null; n: number }[]> {
      const { rows } = await sql<{ queryId: string; queryName: string; sentiment: string | null; n: number }>`
        select q.query_id as "queryId", q.name as "queryName", m.sentiment, count(m.resource_id) as n
        from earshot.queries q left join earshot.mentions m on m.project_id = q.project_id and m.query_id = q.query_id
          and m.event_at >= ${at(from)} and m.event_at < ${at(to)}
        where q.active group by 1, 2, 3 order by 2, 3
      `.execute(db);
      return rows;
    },
  };
}

const COLUMNS = sql`project_id as "projectId", name, local_date::text as "localDate", period_from as "periodFrom",
  period_to as "periodTo", due_at as "dueAt"`;

import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import { at, type Db } from "./database.ts";

/** The common fields of a stored message, from Slack or by mail. */
interface StoredMessage {
  readonly id: string;
  readonly kind: "slack" | "email";
  readonly receivedAt: Instant;
}

type Slack = StoredMessage & { readonly channel: string; readonly threadTs: string | null };
type Email = StoredMessage & { readonly to: readonly string[] };

interface File {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly receivedAt: Instant;
  readonly bytes: Uint8Array;
}

interface Filter {
  readonly kind?: "slack" | "email";
  readonly channel?: string;
  readonly threadTs?: string;
  readonly before?: string;
  readonly limit: number;
}

/** Whole messages that the local Slack and mailbox received, in order of arrival. */
export function createInboxStore<Message extends StoredMessage & (Slack | Email)>(db: Db) {
  return {
    async append(message: Message): Promise<void> {
      const { place, thread } = whereabouts(message);
      await sql`
        insert into earshot.inbox (id, kind, place, thread, received_at, updated_at, message)
        values (${message.id}, ${message.kind}, ${place}, ${thread}, ${at(message.receivedAt)},
          ${at(message.receivedAt)}, ${storableJson(message)}::jsonb)
      `.execute(db);
    },

    async update(message: Message): Promise<void> {
      await sql`
        update earshot.inbox set message = ${storableJson(message)}::jsonb, updated_at = now() where id = ${message.id}
      `.execute(db);
    },

    async find(id: string): Promise<Message | null> {
      const { rows } = await sql<{
        message: Message;
      }>`select message from earshot.inbox where id = ${id}`.execute(db);
      return rows[0]?.message ?? null;
    },

    async remove(id: string): Promise<void> {
      await sql`delete from earshot.inbox where id = ${id}`.execute(db);
    },

    async putFile({ id, name, type, receivedAt, bytes }: File): Promise<void> {
      await sql`
        insert into earshot.inbox_files (id, name, type, received_at, bytes)
        values (${id}, ${name}, ${type}, ${at(receivedAt)}, ${Buffer.from(bytes)}) on conflict do nothing
      `.execute(db);
    },

    async findFile(id: string): Promise<File | null> {
      const { rows } = await sql<File>`
        select id, name, type, received_at as "receivedAt", bytes from earshot.inbox_files where id = ${id}
      `.execute(db);
      return rows[0] ?? null;
    },

    /** Newest first. */
    async list(filter: Filter): Promise<readonly Message[]> {
      const { kind, channel, threadTs, before, limit } = filter;
      const { rows } = await sql<{ message: Message }>`
        select message from earshot.inbox
        where (${kind ?? null}::text is null or kind = ${kind ?? null})
          and (${channel ?? null}::text is null or place = ${channel ?? null})
          and (${threadTs ?? null}::text is null or thread = ${threadTs ?? null})
          and (${before ?? null}::text is null or seq < (select seq from earshot.inbox where id = ${before ?? null}))
        order by seq desc limit ${limit}
      `.execute(db);
      return rows.map((row) => row.message);
    },
  };
}

function whereabouts(message: Slack | Email): { place: string; thread: string | null } {
  if ("channel" in message) return { place: message.channel, thread: message.threadTs };
  return { place: message.to[0] ?? "", thread: null };
}

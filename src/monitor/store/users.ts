import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { nameKey, type StoredUser, type UserRole } from "../model/user.ts";
import { at, atOrNull, type Db } from "./database.ts";

/** Users of the console that the database keeps, beside those of earshot.yaml. */
export function createUserStore(db: Db) {
  return {
    /** False if there is one of this name, also one that has ended. */
    async add(user: Omit<StoredUser, "endedAt">): Promise<boolean> {
      const { id, name, role, email, passwordHash, openId, createdAt, createdBy } = user;
      const { numAffectedRows } = await sql`
        insert into earshot.users
          (id, name, name_key, role, email, password_hash, issuer, subject, created_at, created_by)
        values (${id}::uuid, ${name}, ${nameKey(name)}, ${role}, ${email}, ${passwordHash},
          ${openId?.issuer ?? null}, ${openId?.subject ?? null}, ${at(createdAt)}, ${createdBy})
        on conflict do nothing
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    /** Null: there is none. */
    async find(name: string): Promise<StoredUser | null> {
      const { rows } = await sql<StoredUser>`
        select ${COLUMNS} from earshot.users where name_key = ${nameKey(name)}
      `.execute(db);
      return rows[0] ?? null;
    },

    /** Of an identity at an OpenID provider. */
    async findByOpenId({ issuer, subject }: { issuer: string; subject: string }): Promise<StoredUser | null> {
      const { rows } = await sql<StoredUser>`
        select ${COLUMNS} from earshot.users where issuer = ${issuer} and subject = ${subject}
      `.execute(db);
      return rows[0] ?? null;
    },

    /** By name; those that have ended last. */
    async list(): Promise<StoredUser[]> {
      const { rows } = await sql<StoredUser>`
        select ${COLUMNS} from earshot.users order by ended_at is not null, name_key limit 5000
      `.execute(db);
      return rows;
    },

    /** Whether there is or was one: from then on, nobody sees the console without a login. */
    async isUsed(): Promise<boolean> {
      const { rows } = await sql`select 1 from earshot.users limit 1`.execute(db);
      return rows.length > 0;
    },

    async setPassword(id: string, passwordHash: string): Promise<void> {
      await sql`update earshot.users set password_hash = ${passwordHash} where id = ${id}::uuid`.execute(db);
    },

    async setRole(id: string, role: UserRole): Promise<void> {
      await sql`update earshot.users set role = ${role} where id = ${id}::uuid`.execute(db);
    },

    /** Null: back again. */
    async setEnd(id: string, endedAt: Instant | null): Promise<void> {
      await sql`
        update earshot.users set ended_at = ${atOrNull(endedAt)} where id = ${id}::uuid
      `.execute(db);
    },
  };
}

const COLUMNS = sql`id, name, role, email, password_hash as "passwordHash",
  case when issuer is not null then json_build_object('issuer', issuer, 'subject', subject) end as "openId", created_at as "createdAt",
  created_by as "createdBy", ended_at as "endedAt"`;

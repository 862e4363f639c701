import type { Instant } from "../../lib/instant.ts";
import type { DataPolicyName } from "../records/data-policy.ts";
import type { StoredCategory } from "../records/labels.ts";
import { findUser, putClient, putUser } from "../store/accounts.ts";
import { createDatabase, type Database, type DatabasePool } from "../store/database.ts";
import { putCategory } from "../store/labels.ts";
import { revokeTokens } from "../store/logins.ts";
import { hashPassword, verifyPassword } from "../store/password.ts";
import { putProject } from "../store/projects.ts";
import { putQueries, type QueryType } from "../store/queries.ts";

export interface AccountSeed {
  readonly client: {
    readonly name: string;
    /** `ratelimit.limit` (calls) and `ratelimit.period` (minutes) switch the rate limit on. */
    readonly tags?: Readonly<Record<string, string>>;
  };
  readonly user: {
    readonly username: string;
    readonly password: string;
    /** Default Admin. Others than Regular and Admin are stored and then refused by the API. */
    readonly role?: string;
    readonly firstName?: string;
    readonly lastName?: string;
  };
  readonly project: {
    readonly name: string;
    readonly description?: string;
    /** IANA zone, default Etc/UTC. */
    readonly timezone?: string;
    readonly defaultLanguage?: string;
    /** What answers may show of mentions, default: as the client's tag `data.policy` says. */
    readonly dataPolicy?: DataPolicyName;
  };
  readonly queries?: readonly {
    readonly name: string;
    readonly type?: QueryType;
    /** Above 0, default 100: what part of the mentions that match is kept. */
    readonly samplePercentage?: number;
    /** Boolean text of a `search string`; see `NewQuery`. */
    readonly text?: string;
  }[];
  readonly categories?: readonly { readonly name: string; readonly children: readonly string[] }[];
  /** The creation date that records show. */
  readonly at: Instant;
}

export interface SeededAccount {
  readonly clientId: number;
  readonly userId: number;
  readonly projectId: number;
  /** Id by name. */
  readonly queries: ReadonlyMap<string, number>;
  readonly categories: readonly StoredCategory[];
}

/** Makes sure that the client, its login, project, queries and categories exist. Found by name; safe to repeat. */
export async function seedAccount(pool: DatabasePool, seed: AccountSeed): Promise<SeededAccount> {
  const db = createDatabase(pool);
  const { client, user, project, at } = seed;
  const clientId = await putClient(db, { name: client.name, tags: client.tags ?? {}, createdAt: at });
  const { hash, isNew } = await passwordHash(db, user);
  const userId = await putUser(db, {
    username: user.username,
    passwordHash: hash,
    firstName: user.firstName ?? "",
    lastName: user.lastName ?? "",
    createdAt: at,
    clientId,
    role: user.role ?? "Admin",
  });
  // Sessions of an earlier password end.
  if (isNew) await revokeTokens(db, { userId });
  const projectId = await putProject(db, {
    clientId,
    name: project.name,
    description: project.description ?? "",
    timezone: project.timezone ?? "Etc/UTC",
    defaultLanguage: project.defaultLanguage ?? "en",
    dataPolicy: project.dataPolicy ?? null,
  });
  const queries = await putQueries(
    db,
    projectId,
    (seed.queries ?? []).map((query) => ({ ...query, type: query.type ?? "search string" })),
    { username: user.username, at },
  );
  const categories: StoredCategory[] = [];
  for (const category of seed.categories ?? []) categories.push(await putCategory(db, projectId, category));
  return { clientId, userId, projectId, queries, categories };
}

/** A repeated seed keeps the hash while the password is the same. */
async function passwordHash(
  db: Database,
  user: AccountSeed["user"],
): Promise<{ hash: string; isNew: boolean }> {
  const stored = (await findUser(db, user.username))?.passwordHash;
  const isSame = stored !== undefined && (await verifyPassword(user.password, stored));
  return isSame ? { hash: stored, isNew: false } : { hash: await hashPassword(user.password), isNew: true };
}

import { randomBytes } from "node:crypto";
import { UserError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { hashPassword } from "../http/password.ts";
import { type ClientDetails, createClient, createUser } from "../store/accounts.ts";
import { listClients } from "../store/clients.ts";
import type { Database } from "../store/database.ts";
import { pick } from "./pick.ts";

/** Roles that the service knows; only the first two may use the API. */
export const ROLES = ["Admin", "Regular", "Viewer"] as const;

/** A client with its rate limit, `calls/minutes` such as `600/10`. Throws a `UserError` for a wrong one. */
export async function createClientAccount(
  db: Database,
  client: {
    name: string;
    rateLimit?: string;
    tags: Readonly<Record<string, string>>;
    details: ClientDetails;
    at: Instant;
  },
): Promise<{ id: number; name: string; tags: Readonly<Record<string, string>> }> {
  const tags = { ...client.tags, ...(client.rateLimit === undefined ? {} : rateLimitTags(client.rateLimit)) };
  const { name, details, at: createdAt } = client;
  return { id: await createClient(db, { name, tags, details, createdAt }), name, tags };
}

/** A login in a client. Without a password one is invented, and given back this once. */
export async function createUserAccount(
  db: Database,
  user: {
    username: string;
    client: string;
    role: string;
    password?: string;
    firstName: string;
    lastName: string;
    tokenLifetimeSeconds?: number;
    at: Instant;
  },
): Promise<{ id: number; username: string; client: string; role: string; inventedPassword: string | null }> {
  const client = pick("client", await listClients(db), user.client);
  const invented = user.password === undefined ? randomBytes(15).toString("base64url") : null;
  const { username, role, firstName, lastName, tokenLifetimeSeconds, at: createdAt } = user;
  const id = await createUser(db, {
    username,
    role,
    firstName,
    lastName,
    createdAt,
    clientId: client.id,
    passwordHash: await hashPassword(user.password ?? invented ?? ""),
    ...(tokenLifetimeSeconds === undefined ? {} : { tokenLifetimeSeconds }),
  });
  return { id, username, client: client.name, role, inventedPassword: invented };
}

function rateLimitTags(text: string): Record<string, string> {
  const [, limit, period] = /^([1-9]\d{0,8})\/([1-9]\d{0,5})m?$/.exec(text) ?? [];
  if (limit === undefined || period === undefined)
    throw new UserError(`--rate-limit ${text}: expected calls/minutes such as 600/10.`);
  return { "ratelimit.limit": limit, "ratelimit.period": period };
}

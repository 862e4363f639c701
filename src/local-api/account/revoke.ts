import { UserError } from "../../lib/errors.ts";
import { listClients } from "../store/clients.ts";
import type { Database } from "../store/database.ts";
import { revokeTokens } from "../store/tokens.ts";
import { type ListedUser, listUsers } from "../store/users.ts";
import { pick } from "./pick.ts";

/** Revokes the tokens of a login, of a client, or of the login in the client. Returns their number. */
export async function revoke(db: Database, asked: { user?: string; client?: string }): Promise<number> {
  const user = asked.user === undefined ? undefined : await userNamed(db, asked.user);
  const client = asked.client === undefined ? undefined : pick("client", await listClients(db), asked.client);
  if (user !== undefined)
    return revokeTokens(db, { userId: user.id, ...(client === undefined ? {} : { clientId: client.id }) });
  if (client !== undefined) return revokeTokens(db, { clientId: client.id });
  throw new UserError("Whose tokens?", ["name a login, or a client with --client"]);
}

async function userNamed(db: Database, name: string): Promise<ListedUser> {
  return pick("user", await listUsers(db), name);
}

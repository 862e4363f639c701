import type { FastifyInstance } from "fastify";
import { monotonicMs } from "../../lib/clock.ts";
import { tooManyRequests, unauthorized } from "../http/api-error.ts";
import { type AttemptLimit, createAttemptLimit } from "../http/attempt-limit.ts";
import { verifyPassword } from "../http/password.ts";
import { mayUseApi } from "../http/roles.ts";
import { createToken, hashToken } from "../http/token.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import { createParameterReader, type ParameterReader } from "../parameters/parameter-reader.ts";
import { findUser, type StoredUser } from "../store/accounts.ts";
import { listMemberships } from "../store/memberships.ts";
import { insertToken } from "../store/tokens.ts";

/** POST /oauth/token. Parameters may stand in the query or in the form body; the password only in the body. */
export function tokenRoute(app: FastifyInstance, context: LocalApiContext): void {
  const attempts = createAttemptLimit(monotonicMs);
  app.post("/oauth/token", async (request, reply) => {
    const credentials = readCredentials(request.query as object, (request.body ?? {}) as object);
    const user = await logIn(context, attempts, credentials);
    const clientId = await chooseClient(context, user, credentials.platformClientId);
    const token = createToken();
    const lifetimeSeconds = context.tokenLifetimeSeconds;
    await insertToken(context.db, { hash: hashToken(token), userId: user.id, clientId, lifetimeSeconds });
    reply.header("cache-control", "no-store");
    return {
      access_token: token,
      token_type: "bearer",
      expires_in: lifetimeSeconds,
      scope: "read trust write",
    };
  });
}

interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly platformClientId: string | undefined;
}

function readCredentials(query: object, body: object): Credentials {
  const parameters = createParameterReader({ ...query, ...body });
  if ("password" in query) parameters.fault("password: expected in the form body, never in the address.");
  parameters.oneOf("grant_type", ["api-password"]);
  const clientId = parameters.text("client_id");
  if (clientId !== undefined && !/^[a-z0-9][a-z0-9-]*-api-client$/.test(clientId))
    parameters.fault("client_id: expected an identifier of the form <service>-api-client.");
  const platformClientId = parameters.text("platform_client_id");
  required(parameters, "grant_type", "the value api-password");
  required(parameters, "client_id", "an identifier of the form <service>-api-client");
  const username = required(parameters, "username", "the login name of an API user");
  const password = required(parameters, "password", "a password in the form body");
  parameters.finish();
  return { username, password, platformClientId };
}

function required(parameters: ParameterReader, name: string, expected: string): string {
  const value = parameters.text(name);
  if (value === undefined) parameters.fault(`${name}: required, ${expected}.`);
  return value ?? "";
}

async function logIn(
  { db }: LocalApiContext,
  attempts: AttemptLimit,
  { username, password }: Credentials,
): Promise<StoredUser> {
  if (attempts.isExhausted(username)) throw tooManyRequests("too many failed logins, try again in a minute");
  const user = await findUser(db, username);
  if (user !== undefined && (await verifyPassword(password, user.passwordHash))) return user;
  if (user === undefined) await verifyPassword(password, undefined);
  attempts.failed(username);
  throw unauthorized("Bad credentials");
}

/** A login that belongs to several clients has to say for which of them it asks. */
async function chooseClient(
  { db }: LocalApiContext,
  user: StoredUser,
  wanted: string | undefined,
): Promise<number> {
  const memberships = (await listMemberships(db, user.id)).filter(({ role }) => mayUseApi(role));
  const fitting = memberships.filter(({ clientId }) => wanted === undefined || String(clientId) === wanted);
  const [only, ...others] = fitting;
  if (only === undefined) {
    throw unauthorized(
      memberships.length === 0
        ? "Only users with the role Regular or Admin can use the API."
        : "platform_client_id: the login does not belong to that client.",
    );
  }
  if (others.length > 0)
    throw unauthorized("platform_client_id: required, the login belongs to several clients.");
  return only.clientId;
}

import type { FastifyInstance } from "fastify";
import { answerErrors } from "../http/answer-errors.ts";
import { forbidden, methodNotAllowed, oauthError } from "../http/api-error.ts";
import { limitLogins } from "../http/login-limit.ts";
import { verifyPassword } from "../http/password.ts";
import { mayUseApi, ONLY_REGULAR_AND_ADMIN } from "../http/roles.ts";
import { createToken, hashToken } from "../http/token.ts";
import { readTokenRequest, type TokenRequest } from "../http/token-request.ts";
import { unknownTo } from "../http/unknown-parameters.ts";
import type { LocalApiContext } from "../local-api-context.ts";
import type { LocalApiLog } from "../local-api-log.ts";
import { findUser, type StoredUser } from "../store/accounts.ts";
import { listMemberships } from "../store/memberships.ts";
import { insertToken } from "../store/tokens.ts";

const PATH = "/oauth/token";
/** Some two hundred characters are usual, and the caller is not logged in yet. */
const BODY_LIMIT = 4 * 1024;

/** POST (or GET) /oauth/token: the one call that needs no token. */
export function tokenRoute(app: FastifyInstance, context: LocalApiContext, log: LocalApiLog): void {
  answerErrors(app, log, (message) => ({ error: "invalid_request", error_description: message }));
  app.route({
    method: ["GET", "POST"],
    url: PATH,
    bodyLimit: BODY_LIMIT,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      reply.header("cache-control", "no-store").header("pragma", "no-cache");
      const asked = readTokenRequest(request.query, request.body, unknownTo(request));
      const user = await logIn(context, asked, request.ip);
      const clientId = await chooseClient(context, user, asked.platformClientId);
      const token = createToken();
      const lifetimeSeconds = user.tokenLifetimeSeconds ?? context.tokenLifetimeSeconds;
      await insertToken(context.db, { hash: hashToken(token), userId: user.id, clientId, lifetimeSeconds });
      return {
        access_token: token,
        token_type: "bearer",
        expires_in: lifetimeSeconds,
        scope: "read trust write",
      };
    },
  });
  app.route({
    method: ["DELETE", "HEAD", "OPTIONS", "PATCH", "PUT"],
    url: PATH,
    bodyLimit: BODY_LIMIT,
    handler: ({ method }) => {
      throw methodNotAllowed(`${method} ${PATH}`, ["POST", "GET"]);
    },
  });
}

async function logIn(
  { db, refusedLogins }: LocalApiContext,
  { username, password }: TokenRequest,
  address: string,
): Promise<StoredUser> {
  const login = await limitLogins(db, { username, address }, async () => {
    const user = await findUser(db, username);
    // Checked also for a login that does not exist: both refusals take the same time.
    const isRight = await verifyPassword(password, user?.passwordHash);
    return isRight && user !== undefined && !refusedLogins.has(user.username) ? user : undefined;
  });
  if (login === undefined) throw oauthError(401, "invalid_grant", "Bad credentials");
  return login;
}

/** A login that belongs to several clients has to say for which of them it asks. */
async function chooseClient(
  { db }: LocalApiContext,
  user: StoredUser,
  wanted: string | undefined,
): Promise<number> {
  const memberships = await listMemberships(db, user.id);
  const fitting = memberships.filter(({ clientId }) => wanted === undefined || String(clientId) === wanted);
  if (fitting.length === 0 && memberships.length > 0)
    throw oauthError(
      400,
      "invalid_request",
      "platform_client_id: expected a client that the login belongs to.",
    );
  const [only, ...others] = fitting.filter(({ role }) => mayUseApi(role));
  if (only === undefined) throw forbidden(ONLY_REGULAR_AND_ADMIN);
  if (others.length > 0) {
    throw oauthError(
      400,
      "invalid_request",
      "platform_client_id: required, the login belongs to several clients.",
    );
  }
  return only.clientId;
}

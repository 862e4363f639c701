import type { FastifyInstance } from "fastify";
import { answerErrors } from "../http/answer-errors.ts";
import { createToken, hashToken, mayUseApi, ONLY_REGULAR_AND_ADMIN } from "../http/authenticate.ts";
import type { LocalApiContext, LocalApiLog } from "../http/local-api-context.ts";
import { limitLogins } from "../http/login-limit.ts";
import { unknownTo } from "../http/unknown-parameters.ts";
import { forbidden, methodNotAllowed, oauthError } from "../parameters/api-error.ts";
import {
  createParameterReader,
  type ParameterReader,
  type UnknownParameters,
} from "../parameters/parameter-reader.ts";
import { findUser, listMemberships, type StoredUser } from "../store/accounts.ts";
import { insertToken } from "../store/logins.ts";
import { verifyPassword } from "../store/password.ts";

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
      const tokenRequest = readTokenRequest(request.query, request.body, unknownTo(request));
      const user = await logIn(context, tokenRequest, request.ip);
      const clientId = await chooseClient(context, user, tokenRequest.platformClientId);
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
  scope: string | undefined,
): Promise<number> {
  const memberships = await listMemberships(db, user.id);
  const fitting = memberships.filter(({ clientId }) => scope === undefined || String(clientId) === scope);
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

interface TokenRequest {
  readonly username: string;
  readonly password: string;
  readonly platformClientId: string | undefined;
}

const GRANT_TYPE = "api-password";
const CLIENT_ID = /^[a-z0-9][a-z0-9-]*-api-client$/;
const CLIENT_ID_FORM = "an identifier of the form <service>-api-client";

/**
 * Reads the parameters of a token call. Each may be in the query or in the body, which is a form or a JSON object:
 * older and newer documents differ. Throws OAuth's own errors.
 */
function readTokenRequest(query: unknown, body: unknown, unknown: UnknownParameters): TokenRequest {
  const parameters = createParameterReader(gather(query, body), unknown);
  const { grantType, clientId, username, password, platformClientId } = readTokenParameters(parameters);
  for (const [name, value] of Object.entries({ username, password })) {
    if (value.length > 1_000) parameters.fault(`${name}: expected at most 1000 characters.`);
  }
  const faults = parameters.faults();
  if (faults.length > 0) throw oauthError(400, "invalid_request", faults.join(" "));
  if (grantType !== GRANT_TYPE)
    throw oauthError(400, "unsupported_grant_type", `grant_type: expected ${GRANT_TYPE}.`);
  if (!CLIENT_ID.test(clientId))
    throw oauthError(401, "invalid_client", `client_id: expected ${CLIENT_ID_FORM}.`);
  return { username, password, platformClientId };
}

export function readTokenParameters(parameters: ParameterReader) {
  return {
    grantType: required(parameters, "grant_type", `the value ${GRANT_TYPE}`),
    clientId: required(parameters, "client_id", CLIENT_ID_FORM),
    username: required(parameters, "username", "the login name of an API user"),
    password: required(parameters, "password", "a password in the form body"),
    platformClientId: parameters.text("platform_client_id"),
  };
}

function gather(query: unknown, body: unknown): Record<string, unknown> {
  if (body !== undefined && body !== null && (typeof body !== "object" || Array.isArray(body)))
    throw oauthError(400, "invalid_request", "body: expected a form or a JSON object.");
  const given: Record<string, unknown> = { ...(query as object) };
  for (const [name, value] of Object.entries(body ?? {})) {
    if (name in given && String(given[name]) !== String(value))
      throw oauthError(400, "invalid_request", `${name}: expected one value, got another in the body.`);
    if (typeof value === "object")
      throw oauthError(400, "invalid_request", `${name}: expected text, given once.`);
    given[name] = value;
  }
  // Some clients send it, empty or not. The one public client of this API has no secret.
  delete given["client_secret"];
  return given;
}

function required(parameters: ParameterReader, name: string, expected: string): string {
  const value = parameters.text(name);
  if (value === undefined) parameters.fault(`${name}: required, ${expected}.`);
  return value ?? "";
}

import {
  createParameterReader,
  type ParameterReader,
  type UnknownParameters,
} from "../parameters/parameter-reader.ts";
import { oauthError } from "./api-error.ts";

export interface TokenRequest {
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
export function readTokenRequest(query: unknown, body: unknown, unknown: UnknownParameters): TokenRequest {
  const parameters = createParameterReader(gather(query, body), unknown);
  const grantType = required(parameters, "grant_type", `the value ${GRANT_TYPE}`);
  const clientId = required(parameters, "client_id", CLIENT_ID_FORM);
  const username = required(parameters, "username", "the login name of an API user");
  const password = required(parameters, "password", "a password in the form body");
  const platformClientId = parameters.text("platform_client_id");
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

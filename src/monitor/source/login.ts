import type { Clock } from "../../lib/clock.ts";
import { MINUTE, SECOND } from "../../lib/instant.ts";
import { addressOf } from "./define-call.ts";
import { parseJson } from "./parse-json.ts";
import { toRefusal } from "./refusal.ts";
import type { Credentials, SourceToken } from "./session.ts";
import { SourceError } from "./source-error.ts";
import type { Answer, Transport } from "./transport.ts";

const CALL = "login";

/** The token and its life time. */
export interface LoginAnswer extends SourceToken {
  readonly tokenType: string | null;
  readonly expiresInSeconds: number | null;
  readonly scopes: readonly string[];
}

/**
 * `POST /oauth/token`: credentials in, token out. Refused credentials are a `login` error that no retry can fix;
 * everything else fails like any call.
 */
export async function login(
  credentials: Credentials,
  deps: {
    readonly transport: Transport;
    readonly clock: Clock;
    readonly onAnswer?: (answer: Answer) => void;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<LoginAnswer> {
  const query = new URLSearchParams({
    username: credentials.username,
    grant_type: "api-password",
    client_id: credentials.clientId,
  });
  if (credentials.platformClientId !== undefined)
    query.set("platform_client_id", credentials.platformClientId);
  const answer = await deps.transport.request({
    call: CALL,
    method: "POST",
    path: addressOf("token", {}, [...query]),
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ password: credentials.password }).toString(),
    signal: deps.signal,
  });
  deps.onAnswer?.(answer);
  if (answer.status < 200 || answer.status > 299) throw refusedLogin(answer, credentials, deps.clock);
  return readToken(answer, deps.clock);
}

function refusedLogin(answer: Answer, credentials: Credentials, clock: Clock): SourceError {
  const refusal = toRefusal(CALL, answer, {
    now: clock.now(),
    secrets: [credentials.password, credentials.username],
  });
  // An OAuth server says 400 (invalid_grant) for wrong credentials as often as 401.
  const credentialsRefused = [400, 401, 403].includes(answer.status);
  if (!credentialsRefused) return refusal;
  return new SourceError({
    kind: "login",
    call: CALL,
    status: answer.status,
    code: refusal.code,
    message: `the credentials were refused (${refusal.message.slice(CALL.length + 2)})`,
    retryable: false,
  });
}

function readToken(answer: Answer, clock: Clock): LoginAnswer {
  const body = parseToken(answer);
  const token = body?.access_token;
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    throw new SourceError({
      kind: "malformed",
      call: CALL,
      status: answer.status,
      message: "the answer holds no usable token",
      retryable: true,
    });
  }
  const expiresInSeconds =
    typeof body?.expires_in === "number" && body.expires_in > 0 ? body.expires_in : null;
  const lifetimeMs = (expiresInSeconds ?? 3_600) * SECOND;
  // A little early, so that a token does not expire on its way to the source.
  return {
    token,
    expiresAt: clock.now() + lifetimeMs - Math.min(MINUTE, lifetimeMs / 10),
    tokenType: typeof body?.token_type === "string" ? body.token_type : null,
    expiresInSeconds,
    scopes: typeof body?.scope === "string" ? body.scope.split(/\s+/).filter((scope) => scope !== "") : [],
  };
}

type WireToken = { readonly [field in "access_token" | "expires_in" | "token_type" | "scope"]?: unknown };

function parseToken(answer: Answer): WireToken | null {
  try {
    return parseJson(answer.body, { longIds: false }).value as WireToken | null;
  } catch {
    return null;
  }
}

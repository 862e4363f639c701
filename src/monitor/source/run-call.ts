import type { Clock } from "../../lib/clock.ts";
import { type Call, withJsonSuffix } from "./define-call.ts";
import { readErrorBody, toRefusal } from "./refusal.ts";
import type { Session } from "./session.ts";
import { SourceError } from "./source-error.ts";
import type { Answer, Transport } from "./transport.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Variants of the wire format. Both forms of each are the API's own. */
export interface Spelling {
  /** Where the token is sent. In the address it ends up in the logs of proxies, so the header is the default. */
  readonly tokenIn: "header" | "parameter";
  /** The older form of the addresses, with `.json` at the end of the path. */
  readonly jsonSuffix: boolean;
}

/** Runs one call with the shared token. A refused token is renewed once; a second refusal is thrown. */
export async function runCall<Params, Result>(
  call: Call<Params, Result>,
  params: Params,
  options: CallOptions,
  deps: {
    readonly transport: Transport;
    readonly session: Session;
    readonly clock: Clock;
    readonly onAnswer: (answer: Answer) => void;
    readonly spelling: Spelling;
    /** What no error may contain, besides the token. */
    readonly secrets: readonly string[];
  },
): Promise<Result> {
  const path = deps.spelling.jsonSuffix ? withJsonSuffix(call.path(params)) : call.path(params);
  const body = call.body === undefined ? null : JSON.stringify(call.body(params));
  const send = async (token: string): Promise<Answer> => {
    const inHeader = deps.spelling.tokenIn === "header";
    const answer = await deps.transport.request({
      call: call.name,
      method: call.method ?? (body === null ? "GET" : "POST"),
      path: inHeader ? path : withToken(path, token),
      headers: {
        ...(inHeader ? { authorization: `bearer ${token}` } : {}),
        ...(body === null ? {} : { "content-type": "application/json" }),
      },
      ...(body === null ? {} : { body }),
      signal: options.signal,
    });
    deps.onAnswer(answer);
    return answer;
  };

  let token = await deps.session.token();
  try {
    let answer = await send(token);
    if (answer.status === 401) {
      // Refused before anything was done, so a call that writes may be sent again as well.
      token = await deps.session.renew(token);
      answer = await send(token);
    }
    const secrets = [token, ...deps.secrets];
    if (answer.status < 200 || answer.status > 299)
      throw toRefusal(call.name, answer, { now: deps.clock.now(), secrets });
    return readAnswer(call, answer, secrets);
  } catch (error) {
    throw (body === null && call.method === undefined) || !(error instanceof SourceError)
      ? error
      : onceOnly(error);
  }
}

/**
 * A call that writes has no key by which the source could recognise a repetition: sent twice, it may act twice. Only
 * refusals and connections that were never made are sure to have done nothing.
 */
function onceOnly(error: SourceError): SourceError {
  const surelyUndone =
    error.call === "login" ||
    error.kind === "rate-limited" ||
    error.kind === "over-budget" ||
    (error.kind === "network" && error.code !== null && NEVER_CONNECTED.has(error.code));
  if (!error.retryable || surelyUndone) return error;
  return new SourceError({
    kind: error.kind,
    call: error.call,
    status: error.status,
    code: error.code,
    message: `${error.message.slice(error.call.length + 2)}; it may have been done all the same: look before you send it again`,
    retryable: false,
    retryAfterMs: error.retryAfterMs,
  });
}

const NEVER_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

function withToken(path: string, token: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ access_token: token })}`;
}

function readAnswer<Params, Result>(
  call: Call<Params, Result>,
  answer: Answer,
  secrets: readonly string[],
): Result {
  try {
    return call.read(answer);
  } catch {
    // The parser's own message quotes the answer, which is hostile text, so we use a message of our own.
    throw new SourceError({
      kind: "malformed",
      call: call.name,
      status: answer.status,
      message: `${answer.status} ${describeBody(answer.body, secrets)}`,
      retryable: true,
    });
  }
}

/** Describes an answer that is not the requested JSON. */
function describeBody(body: Buffer, secrets: readonly string[]): string {
  if (body.length === 0) return "with an empty body";
  const start = body.subarray(0, 256).toString("latin1").trimStart().toLowerCase();
  if (start.startsWith("<")) return "with a page of HTML instead of JSON";
  if (!/^(?:\u00ef\u00bb\u00bf)?[{[]/.test(start)) return "with something else than JSON";
  const { message } = readErrorBody(body, secrets);
  if (message !== null) return `with an error inside: ${message}`;
  return `with JSON that is cut off or has another shape (${body.length} bytes)`;
}

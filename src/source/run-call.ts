import type { Clock } from "../lib/clock.ts";
import type { Call } from "./define-call.ts";
import { toRefusal } from "./refusal.ts";
import type { Session } from "./session.ts";
import { SourceError } from "./source-error.ts";
import type { Answer, Transport } from "./transport.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Runs one call with the shared token. A refused token is renewed once; a second refusal is the caller's to see. */
export async function runCall<Params, Result>(
  call: Call<Params, Result>,
  params: Params,
  options: CallOptions,
  deps: {
    readonly transport: Transport;
    readonly session: Session;
    readonly clock: Clock;
    readonly onAnswer: (answer: Answer) => void;
  },
): Promise<Result> {
  const path = call.path(params);
  const send = async (token: string): Promise<Answer> => {
    const answer = await deps.transport.request({
      call: call.name,
      method: "GET",
      path,
      headers: { authorization: `bearer ${token}` },
      signal: options.signal,
    });
    deps.onAnswer(answer);
    return answer;
  };

  let token = await deps.session.token();
  let answer = await send(token);
  if (answer.status === 401) {
    token = await deps.session.renew(token);
    answer = await send(token);
  }
  if (answer.status < 200 || answer.status > 299) {
    throw toRefusal(call.name, answer, { now: deps.clock.now(), secrets: [token] });
  }
  return readAnswer(call, answer);
}

function readAnswer<Params, Result>(call: Call<Params, Result>, answer: Answer): Result {
  try {
    return call.read(answer);
  } catch {
    // The parser's own message quotes the answer, which is hostile text: what is wrong is said in our words.
    throw new SourceError({
      kind: "malformed",
      call: call.name,
      status: answer.status,
      message: `${answer.status} ${describeBody(answer)}`,
      retryable: true,
    });
  }
}

function describeBody(answer: Answer): string {
  const bytes = answer.body.length;
  if (bytes === 0) return "with an empty body";
  const start = answer.body.subarray(0, 256).toString("latin1").trimStart().toLowerCase();
  if (start.startsWith("<")) return "with a page of HTML instead of JSON";
  if (!/^[{[]/.test(start)) return "with something else than JSON";
  return `with JSON that is cut off or has another shape (${bytes} bytes)`;
}

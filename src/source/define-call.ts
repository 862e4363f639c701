import { addressOf, type Parameters, type Places } from "./addresses.ts";
import type { CallName } from "./call-table.ts";
import { parseWhole } from "./parse-whole.ts";
import type { Answer } from "./transport.ts";

/** One call of the API: how to ask, and how to read the answer. */
export interface Call<Params, Result> {
  /** Its name in errors and log lines. */
  readonly name: string;
  /** The path below the base address, with its query string. */
  readonly path: (params: Params) => string;
  /** Present on calls that write: the JSON they send by POST. */
  readonly body?: (params: Params) => unknown;
  /** Reads an answer in 2xx. An error that it throws becomes a `malformed` error. */
  readonly read: (answer: Answer) => Result;
}

/** A call whose answer is small JSON: it is decoded whole and passed to `read`. */
export function defineCall<Params, Result>(definition: {
  readonly name: CallName;
  readonly places?: (params: Params) => Places;
  readonly parameters?: (params: Params) => Parameters;
  readonly body?: (params: Params) => unknown;
  readonly read: (json: unknown) => Result;
}): Call<Params, Result> {
  const { name, places, parameters, body, read } = definition;
  return {
    name,
    path: (params) => addressOf(name, places?.(params) ?? {}, parameters?.(params) ?? []),
    ...(body === undefined ? {} : { body }),
    read: (answer) => read(parseWhole(answer.body)),
  };
}

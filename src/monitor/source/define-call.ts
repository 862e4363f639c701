import { CALLS, type CallEntry, type CallName } from "./call-table.ts";
import { parseWhole } from "./parse-json.ts";
import type { Answer } from "./transport.ts";

/** The path parameters of an address. */
export interface Places {
  readonly projectId?: string;
  readonly aggregate?: string;
  readonly dimension1?: string;
  readonly dimension2?: string;
}

export type Parameters = readonly (readonly [name: string, value: string])[];

/** An address with its path parameters filled and the others appended, all of them encoded. */
export function addressOf(name: CallName, places: Places, parameters: Parameters = []): string {
  const path = CALLS[name].path.replaceAll(/\{(\w+)\}/g, (_, place: string) =>
    encodeURIComponent(places[place as keyof Places] ?? ""),
  );
  if (parameters.length === 0) return path;
  // URLSearchParams writes `+` as `%2B`, which the offsets of the dates need.
  return `${path}?${new URLSearchParams(parameters.map(([key, value]): [string, string] => [key, value]))}`;
}

/** The older form of an address, which ends in `.json`. */
export function withJsonSuffix(address: string): string {
  const [path = "", query] = address.split(/\?(.*)/s);
  return `${path.replace(/(?<!\/)\/+$/, "")}.json${query === undefined ? "" : `?${query}`}`;
}

/** One call of the API: how to ask, and how to read the answer. */
export interface Call<Params, Result> {
  /** Its name in errors and log lines. */
  readonly name: string;
  /** The path below the base address, with its query string. */
  readonly path: (params: Params) => string;
  /** Present on calls that write: the JSON they send by POST, or by `method`. */
  readonly body?: ((params: Params) => unknown) | undefined;
  readonly method?: "PUT" | "DELETE";
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
    body,
    read: (answer) => read(parseWhole(answer.body)),
  };
}

/** Any call by its name, with unchanged parameters. */
export interface RawParams {
  readonly places: Places;
  readonly parameters: Parameters;
  /** Of a call that writes. */
  readonly body?: unknown;
}

/** A call whose answer is returned as the source wrote it. */
export function rawCall(name: CallName): Call<RawParams, unknown> {
  const { writes }: CallEntry = CALLS[name];
  return {
    name,
    path: ({ places, parameters }) => addressOf(name, places, parameters),
    ...(writes ? { body: ({ body }: RawParams) => body ?? {} } : {}),
    read: (answer) => parseWhole(answer.body),
  };
}

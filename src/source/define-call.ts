import { parseJson } from "./parse-json.ts";
import type { Answer } from "./transport.ts";

/** One GET of the API: how its address is made, and how its answer is read. */
export interface Call<Params, Result> {
  /** What errors and log lines call it. */
  readonly name: string;
  /** The path below the base address, with its query string. */
  readonly path: (params: Params) => string;
  /** Reads an answer in 2xx. What it throws becomes a `malformed` error. */
  readonly read: (answer: Answer) => Result;
}

/** A call whose answer is small JSON: it is decoded whole and given to `read` as it is. */
export function defineCall<Params, Result>(definition: {
  readonly name: string;
  readonly path: (params: Params) => string;
  readonly read: (json: unknown) => Result;
}): Call<Params, Result> {
  return {
    name: definition.name,
    path: definition.path,
    read: (answer) => {
      const { value, read } = parseJson(answer.body, { longIds: true });
      return definition.read(readWhole(value, read));
    },
  };
}

function readWhole(value: unknown, read: (raw: string) => string): unknown {
  if (typeof value === "string") return read(value);
  if (Array.isArray(value)) return value.map((item) => readWhole(item, read));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readWhole(item, read)]));
}

import { parseJson } from "./parse-json.ts";

/** JSON that is used completely: all strings readable and storable, long ids as text. Throws a SyntaxError. */
export function parseWhole(body: Buffer): unknown {
  const { value, read } = parseJson(body, { longIds: true });
  return readStrings(value, read);
}

function readStrings(value: unknown, read: (raw: string) => string): unknown {
  if (typeof value === "string") return read(value);
  if (Array.isArray(value)) return value.map((item) => readStrings(item, read));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [read(key), readStrings(item, read)]));
}

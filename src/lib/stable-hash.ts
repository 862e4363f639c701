import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";
import type { JsonValue } from "./json.ts";

/** 32 hex digits that depend on the value alone: the same on every machine, in every run, for every order of keys. */
export function stableHash(value: JsonValue): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);
}

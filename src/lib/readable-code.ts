import { randomBytes } from "node:crypto";
import { sha256 } from "./hashes.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

/** 80 bits that a person can copy: `mfrg-gzdf-mztw-q2lk`. */
export function inventCode(): string {
  const letters = Array.from(randomBytes(16), (byte) => LETTERS[byte % LETTERS.length]).join("");
  return (letters.match(/.{4}/g) ?? []).join("-");
}

/** What is kept of a code. Capitals, dashes and blanks make no difference. */
export function hashOfCode(typed: string): Buffer {
  return sha256(typed.toLowerCase().replaceAll(/[\s-]/g, ""));
}

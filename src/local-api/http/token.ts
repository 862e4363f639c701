import { createHash, randomUUID } from "node:crypto";

/** A new bearer token: 122 random bits in the form of a UUID. */
export function createToken(): string {
  return randomUUID();
}

/** What is stored of a token. It is random already, so a plain hash needs no salt. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

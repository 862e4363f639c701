import { createHmac, timingSafeEqual } from "node:crypto";
import { sha256 } from "./hashes.ts";
import type { Instant } from "./instant.ts";

/**
 * A value that is sent out and comes back, safe in an address: only the secret's owner can make or change one, and it
 * is invalid after `until`. The value is not secret: its holder can read it.
 */
export function signText(secret: string, purpose: string, value: unknown, until: Instant): string {
  const body = Buffer.from(JSON.stringify({ value, until })).toString("base64url");
  return `${body}.${signatureOf(secret, purpose, body)}`;
}

/** The value, or null if it was not signed for this purpose, was changed, or is too old. */
export function readSigned(secret: string, purpose: string, text: string, now: Instant): unknown {
  const [body = "", signature = "", rest] = text.split(".");
  if (rest !== undefined || !isSameText(signature, signatureOf(secret, purpose, body))) return null;
  const { value, until } = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as {
    value: unknown;
    until: Instant;
  };
  return now < until ? value : null;
}

function signatureOf(secret: string, purpose: string, body: string): string {
  return createHmac("sha256", secret).update(`${purpose} ${body}`).digest("base64url");
}

/** Whether two texts are the same. Its duration shows nothing of the right one, not even the length. */
export function isSameText(given: string, right: string): boolean {
  return timingSafeEqual(sha256(given), sha256(right));
}

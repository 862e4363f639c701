import { createHash, createHmac } from "node:crypto";

/** Of one length, so that comparing two takes the same time for every text. */
export function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export function hmacSha256(secret: string, text: string): Buffer {
  return createHmac("sha256", secret).update(text).digest();
}

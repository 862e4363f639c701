import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes that only holders of a key can read or change. `owner`: sealed for one, they open for nobody else. */
interface Seal {
  close(bytes: Uint8Array, owner: string): Buffer;
  /** Null: sealed with another key or for another owner, or changed. */
  open(sealed: Uint8Array, owner: string): Buffer | null;
}

/** AES-256-GCM with a key for one purpose, made from a long secret. */
export function createSeal(secret: string, purpose: string): Seal {
  const key = Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
  return {
    close: (bytes, owner) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(owner));
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, owner) => {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
      const bytes = Buffer.from(sealed);
      const cipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      cipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), cipher.final()]);
      } catch {
        return null;
      }
    },
  };
}

import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { z } from "zod";
import type { Instant } from "../../lib/instant.ts";

/** A position while paging. It survives every insert: it is a position in an order, not a number of rows. */
export interface Cursor {
  /** Null before the first mention of a range that had none. */
  readonly position: {
    readonly key: number | string;
    readonly resourceId: string;
    readonly queryId: number;
  } | null;
  /** `previous` is read against the order, up to the position. */
  readonly toward: "next" | "previous";
  /** The position itself belongs to the page. */
  readonly inclusive: boolean;
  /** Pages before the one that the cursor leads to. */
  readonly page: number;
  /** The moment whose state the pages show; null: whatever is visible when a page is requested. */
  readonly pinnedAt: Instant | null;
  /** The last page was reached at this moment: only mentions that became visible since are still to be shown. */
  readonly newSince: Instant | null;
}

/** Why a text is not a valid cursor. */
type CursorFault = "unknown" | "other-parameters";

export interface CursorCodec {
  /** `binding`: everything that must stay the same while paging. */
  encode(cursor: Cursor, binding: string): string;
  decode(text: string, binding: string): Cursor | CursorFault;
}

const VERSION = 2;
const NONCE_BYTES = 12;
const SEAL_BYTES = 16;

/**
 * Cursors are opaque and sealed: only a position that we issued comes back, for the parameters that it was issued for.
 * They are encrypted because a position contains the value of the order, which the record may have to withhold. Equal
 * cursors have equal text: the nonce is derived from the content.
 */
export function createCursorCodec(secret: string): CursorCodec {
  const derive = (purpose: string, ...parts: readonly string[]) =>
    createHmac("sha256", secret)
      .update(JSON.stringify([purpose, ...parts]))
      .digest();
  const key = derive("cursor key");
  const bind = (binding: string) => derive("binding", binding).toString("base64url").slice(0, 12);

  return {
    encode(cursor, binding) {
      const plain = JSON.stringify(toWire(cursor, bind(binding)));
      const nonce = derive("nonce", plain).subarray(0, NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
    },
    decode(text, binding) {
      const plain = open(key, Buffer.from(text, "base64url"));
      const wire = plain === undefined ? undefined : WireCursor.safeParse(JSON.parse(plain));
      if (wire?.success !== true) return "unknown";
      return wire.data[1] === bind(binding) ? fromWire(wire.data) : "other-parameters";
    },
  };
}

/** What was sealed with the key; undefined for everything else. */
function open(key: Buffer, given: Buffer): string | undefined {
  if (given.byteLength <= NONCE_BYTES + SEAL_BYTES) return undefined;
  const cipher = createDecipheriv("aes-256-gcm", key, given.subarray(0, NONCE_BYTES), {
    authTagLength: SEAL_BYTES,
  });
  cipher.setAuthTag(given.subarray(NONCE_BYTES, NONCE_BYTES + SEAL_BYTES));
  try {
    const plain = cipher.update(given.subarray(NONCE_BYTES + SEAL_BYTES));
    return Buffer.concat([plain, cipher.final()]).toString("utf8");
  } catch {
    // The seal is broken: the cursor was not made here.
    return undefined;
  }
}

/** version, binding, position, toward previous, inclusive, page, pinned at, new since. */
const WireCursor = z.tuple([
  z.literal(VERSION),
  z.string(),
  z.tuple([z.union([z.number(), z.string()]), z.string(), z.number()]).nullable(),
  z.boolean(),
  z.boolean(),
  z.int(),
  z.int().nullable(),
  z.int().nullable(),
]);
type WireCursor = z.infer<typeof WireCursor>;

function toWire(cursor: Cursor, binding: string): WireCursor {
  const { position } = cursor;
  return [
    VERSION,
    binding,
    position && [position.key, position.resourceId, position.queryId],
    cursor.toward === "previous",
    cursor.inclusive,
    cursor.page,
    cursor.pinnedAt,
    cursor.newSince,
  ];
}

function fromWire([, , position, previous, inclusive, page, pinnedAt, newSince]: WireCursor): Cursor {
  return {
    position: position && { key: position[0], resourceId: position[1], queryId: position[2] },
    toward: previous ? "previous" : "next",
    inclusive,
    page,
    pinnedAt,
    newSince,
  };
}

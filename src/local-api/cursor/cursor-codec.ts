import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Instant } from "../../lib/instant.ts";

/** A place in a walk. It survives every insert: it names a position in an order, not a number of rows. */
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
  /** The moment whose state the walk shows; null: whatever is visible when a page is asked for. */
  readonly pinnedAt: Instant | null;
  /** The walk had come to its end at this moment: only mentions that became visible since are still to be shown. */
  readonly newSince: Instant | null;
}

/** Why a text is not a cursor that can be followed. */
export type CursorFault = "unknown" | "other-parameters";

export interface CursorCodec {
  /** `binding` is everything that has to stay the same during the walk. */
  encode(cursor: Cursor, binding: string): string;
  decode(text: string, binding: string): Cursor | CursorFault;
}

const VERSION = 2;
const SIGNATURE_BYTES = 16;

/** Cursors are opaque and signed: what comes back is a position that we gave out, for the parameters it was for. */
export function createCursorCodec(secret: string): CursorCodec {
  const sign = (...parts: readonly string[]) =>
    createHmac("sha256", secret).update(JSON.stringify(parts)).digest().subarray(0, SIGNATURE_BYTES);
  const bind = (binding: string) => sign("binding", binding).toString("base64url").slice(0, 12);

  return {
    encode(cursor, binding) {
      const payload = Buffer.from(JSON.stringify(toWire(cursor, bind(binding)))).toString("base64url");
      return `${payload}.${sign("cursor", payload).toString("base64url")}`;
    },
    decode(text, binding) {
      const [payload = "", signature = "", ...rest] = text.split(".");
      const given = Buffer.from(signature, "base64url");
      const expected = sign("cursor", payload);
      if (rest.length > 0 || given.byteLength !== SIGNATURE_BYTES || !timingSafeEqual(given, expected))
        return "unknown";
      const wire = WireCursor.safeParse(JSON.parse(Buffer.from(payload, "base64url").toString()));
      if (!wire.success) return "unknown";
      return wire.data[1] === bind(binding) ? fromWire(wire.data) : "other-parameters";
    },
  };
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

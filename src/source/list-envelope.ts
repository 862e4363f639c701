import { z } from "zod";
import { parseWireInstant } from "./wire-instant.ts";

/** An id of the wire, integer or text, as text. An integer beyond 53 bits that arrives here has lost digits. */
export const WireId = z.union([z.string().min(1), z.int()]).transform(String);

/** An id, or a name that may also be a number. May be missing or of a wrong type. */
export const WireOptionalId = WireId.nullable().catch(null);

/** A text that may be missing or of a wrong type. */
export const WireText = z.string().nullable().catch(null);

/** A number that may be missing or of a wrong type. */
export const WireNumber = z.number().nullable().catch(null);

/** A moment that may be missing, of a wrong type or no moment at all. */
export const WireInstant = z
  .string()
  .transform((text) => parseWireInstant(text))
  .nullable()
  .catch(null);

/** A list of texts; other items are left out. */
export const WireTexts = listInside(z.string());

/** A list of ids; other items are left out. */
export const WireIds = listInside(WireId);

/**
 * The list envelope of the API, or the bare list that some calls of unknown shape may send. A record without its
 * required fields is left out and does not fail the list.
 */
export function listOf<Schema extends z.ZodType>(record: Schema): z.ZodType<z.output<Schema>[]> {
  const bare = z.array(z.unknown());
  return z
    .union([bare, z.object({ results: bare }).transform((list) => list.results)])
    .transform((items) => usable(record, items));
}

/** A list inside a record: empty if missing or of a wrong type. */
export function listInside<Schema extends z.ZodType>(item: Schema): z.ZodType<z.output<Schema>[]> {
  return z
    .array(z.unknown())
    .catch([])
    .transform((items) => usable(item, items));
}

function usable<Schema extends z.ZodType>(record: Schema, items: readonly unknown[]): z.output<Schema>[] {
  return items.flatMap((item) => {
    const parsed = record.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}

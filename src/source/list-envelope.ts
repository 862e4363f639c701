import { z } from "zod";

/** An id of the wire, integer or text, as text. An integer beyond 53 bits that got here has lost digits. */
export const WireId = z.union([z.string().min(1), z.int()]).transform(String);

/** A text that may be missing or of a wrong type. */
export const WireText = z.string().nullable().catch(null);

/** The list envelope of the API. A record without what makes it usable is left out rather than failing the list. */
export function listOf<Schema extends z.ZodType>(record: Schema): z.ZodType<z.output<Schema>[]> {
  return z.object({ results: z.array(z.unknown()) }).transform((list) =>
    list.results.flatMap((item) => {
      const parsed = record.safeParse(item);
      return parsed.success ? [parsed.data] : [];
    }),
  );
}

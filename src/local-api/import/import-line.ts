import { z } from "zod";
import { parseMoment } from "../parameters/parse-moment.ts";

/** PostgreSQL keeps no NUL in text. */
const Name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((name) => !name.includes("\0"), "must not contain a NUL");

/**
 * One line of an import file. Only id, brand, text and date have to be there; a field that nobody knows is ignored.
 * Text is as found and untrusted.
 */
export const ImportLine = z.object({
  id: z.union([z.string().min(1).max(500), z.int()]).transform(String),
  /** Becomes the query. */
  brand: Name,
  text: z.string(),
  /** In the format of the Listening API; becomes `date` and `added`, and the moment from which it is visible. */
  date: z.string().transform((text, context) => {
    const at = parseMoment(text, "utc");
    if (typeof at === "number") return at;
    context.addIssue({ code: "custom", message: at });
    return z.NEVER;
  }),
  author: z.string().nullish(),
  title: z.string().nullish(),
  url: z.string().nullish(),
  language: z.string().nullish(),
  location: z.string().nullish(),
  /** Latitude, longitude; 0, 0 is what devices send that do not know. */
  coordinates: z.tuple([z.number(), z.number()]).nullish(),
  sentiment: z.enum(["positive", "neutral", "negative"]).nullish(),
  /** Becomes a subcategory of "Negative reason". */
  negativeReason: Name.nullish(),
  retweets: z.int().min(0).nullish(),
  followers: z.int().min(0).nullish(),
  verified: z.boolean().nullish(),
});
export type ImportLine = z.infer<typeof ImportLine>;

/** The line, or why it is none. */
export function parseImportLine(text: string): ImportLine | { reason: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { reason: "is not JSON" };
  }
  const parsed = ImportLine.safeParse(json);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => [...issue.path, issue.message].join(": "));
  return { reason: faults.join("; ") };
}

import { z } from "zod";

/**
 * What somebody wrote into a field of several lines. A browser counts the end of a line as one letter against the limit
 * of the field, and sends two.
 */
export const TypedText = z.string().transform((text) => text.replaceAll("\r\n", "\n"));

import { RE2JS } from "re2js";
import { z } from "zod";
import { describeError } from "../../lib/errors.ts";
import { cutText } from "../../lib/text.ts";
import { defineCondition } from "../define-condition.ts";
import { isUnknown, lacks } from "../miss.ts";

/** With more states than this, matching one long text can block the monitor for about 100 ms. */
const COSTLY_SIZE = 500;

/** Whether it has a counted repetition (or nested ones) that is linear but slow: `.{0,1000}z`. */
export function isCostlyPattern(source: unknown): boolean {
  const read = typeof source === "string" ? pattern.compile(source) : null;
  if (read === null || "issues" in read) return false;
  return RE2JS.compile(String(source), RE2JS.CASE_INSENSITIVE).programSize() > COSTLY_SIZE;
}

/**
 * `pattern: "order\\s+#[0-9]{6}"`: a regular expression on the original title or text, ignoring case. It always runs in
 * time linear to the text, so it has no look-around and no back-references. It reads the first 20,000 characters of a
 * text.
 */
export const pattern = defineCondition({
  type: "pattern",
  params: z
    .string()
    .min(1)
    .max(1_000)
    .transform((source, context) => {
      try {
        return RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
      } catch (error) {
        context.addIssue({ code: "custom", message: `not a pattern: ${describeError(error)}` });
        return z.NEVER;
      }
    })
    .describe(
      "A regular expression of RE2 (no look-around) on title or text; case makes no difference. At most 1000 characters; it reads the first 20000 characters of a text. Example: order #[0-9]{6}",
    ),
  compile: (expression) => {
    const label = `matching the pattern ${JSON.stringify(expression.pattern())}`;
    return {
      form: { pattern: expression.pattern() },
      matches: ({ title, text }) =>
        (title !== null && expression.matcher(cutText(title)).find()) ||
        (text !== null && expression.matcher(cutText(text)).find()),
      explain: () => label,
      miss: ({ title, text }) =>
        title === null && text === null
          ? isUnknown("pattern", "its text is withheld by the source, so the pattern is not found in it")
          : lacks("pattern", `the pattern ${JSON.stringify(expression.pattern())} is not found in its text`),
      label,
    };
  },
});

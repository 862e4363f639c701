import { RE2JS } from "re2js";
import { z } from "zod";
import { describeError } from "../../../lib/errors.ts";
import { cutText } from "../../../lib/text.ts";
import { defineCondition } from "../define-condition.ts";
import { isUnknown, lacks } from "../miss.ts";

/**
 * How many states a pattern has; null if it is none. Matching takes time for each state and letter: with 500 of them a
 * text of 20,000 letters can take a quarter of a second.
 */
export function statesOf(source: unknown): number | null {
  if (typeof source !== "string") return null;
  try {
    return RE2JS.compile(source, RE2JS.CASE_INSENSITIVE).programSize();
  } catch {
    return null;
  }
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

import { RE2JS } from "re2js";
import { z } from "zod";
import { describeError } from "../../lib/errors.ts";
import { defineCondition } from "../define-condition.ts";

/**
 * `pattern: "order\\s+#[0-9]{6}"`: a regular expression on title or text as found, upper and lower case alike. It runs
 * in time linear to the text whatever is written in either; look-around and back-references do not exist.
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
    }),
  compile: (expression) => {
    const label = `matching the pattern ${JSON.stringify(expression.pattern())}`;
    return {
      form: { pattern: expression.pattern() },
      matches: ({ title, text }) =>
        (title !== null && expression.matcher(title).find()) ||
        (text !== null && expression.matcher(text).find()),
      explain: () => label,
      label,
    };
  },
});

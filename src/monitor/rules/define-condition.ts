import type { z } from "zod";
import { describeIssues } from "../../lib/describe-issues.ts";
import type { Issue } from "../../lib/errors.ts";
import type { Predicate } from "./predicate.ts";

/** A condition on single mentions: a key of `when`. */
export interface MentionCondition {
  readonly type: string;
  /** The schema of the value of the key; its description is what editors show. */
  readonly params: z.ZodType;
  /** Turns the value of the key into a predicate, or reports what is wrong with it. */
  compile(params: unknown): { readonly predicate: Predicate } | { readonly issues: readonly Issue[] };
}

/**
 * Defines a condition. `params` is the schema of the value of the key `type`; the schema reports every fault, so
 * `compile` cannot fail.
 */
export function defineCondition<Params extends z.ZodType>(definition: {
  readonly type: string;
  readonly params: Params;
  compile(params: z.output<Params>): Predicate;
}): MentionCondition {
  return {
    type: definition.type,
    params: definition.params,
    compile: (params) => {
      const parsed = definition.params.safeParse(params);
      if (!parsed.success) return { issues: describeIssues(parsed.error, definition.params, params) };
      return { predicate: definition.compile(parsed.data) };
    },
  };
}

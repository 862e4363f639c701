import type { z } from "zod";
import { describeIssues } from "../../lib/describe-issues.ts";
import type { Issue } from "../../lib/errors.ts";
import type { Novelty } from "./novelty.ts";
import type { Predicate } from "./predicate.ts";
import type { SeverityStep, StepKind } from "./severity-steps.ts";
import type { Slice } from "./slice.ts";
import type { WindowCondition } from "./window-condition.ts";

/** Reads a tree of mention conditions inside the parameters; undefined if it has issues. */
type ReadTree = (value: unknown, path: readonly string[]) => Predicate | undefined;

/** A kind of condition on counts: a key of the rule itself. */
export interface WindowConditionType {
  readonly type: string;
  /** Quiet time after which an alert resolves, unless the rule says otherwise. */
  readonly overAfterMs: number;
  /** The schema of the value of the key; its description is what editors show. */
  readonly params: z.ZodType;
  /** The parameters that are trees of mention conditions. */
  readonly trees?: readonly string[] | undefined;
  /** Whether it fires once for a value, so that `for` has nothing to wait for. */
  readonly firesOnce?: true;
  /** The schema of a severity step; undefined if there are none. */
  readonly stepLimits?: z.ZodType | undefined;
  /** What severity steps may name; undefined if there are none, or `params` are wrong. */
  stepsOf?(params: unknown): StepKind | undefined;
  compile(
    params: unknown,
    slice: Slice,
    readTree: ReadTree,
    steps: readonly SeverityStep[],
  ):
    | { readonly window: WindowCondition }
    | { readonly novelty: Novelty }
    | { readonly issues: readonly Issue[] };
}

/**
 * Defines a window condition. `compile` returns undefined if `readTree` did, which has then reported the issues. It
 * reads the parameters `trees` with `readTree`.
 */
export function defineWindowCondition<Params extends z.ZodType>(definition: {
  readonly type: string;
  readonly overAfterMs: number;
  readonly params: Params;
  readonly trees?: readonly string[];
  readonly stepLimits?: z.ZodType;
  stepsOf?(params: z.output<Params>): StepKind;
  compile(
    params: z.output<Params>,
    slice: Slice,
    readTree: ReadTree,
    steps: readonly SeverityStep[],
  ): WindowCondition | undefined;
}): WindowConditionType {
  const { type, overAfterMs, params: schema, trees, stepLimits, stepsOf } = definition;
  return {
    type,
    overAfterMs,
    params: schema,
    trees,
    stepLimits,
    ...(stepsOf !== undefined && {
      stepsOf: (params) => {
        const parsed = schema.safeParse(params);
        return parsed.success ? stepsOf(parsed.data) : undefined;
      },
    }),
    compile: (params, slice, readTree, steps) => {
      const parsed = schema.safeParse(params);
      if (!parsed.success) {
        for (const key of trees ?? []) {
          const tree = Object.entries(params ?? {}).find(([name]) => name === key);
          if (tree !== undefined) readTree(tree[1], [key]);
        }
        return { issues: describeIssues(parsed.error, schema, params) };
      }
      const window = definition.compile(parsed.data, slice, readTree, steps);
      return window === undefined ? { issues: [] } : { window };
    },
  };
}

import { z } from "zod";
import { describeIssues, unknownKey } from "../../lib/describe-issues.ts";
import type { Issue } from "../../lib/errors.ts";
import { compareSeverity, Severity } from "../model/severity.ts";

/**
 * The limits of a severity: every number named here must be reached, and `atLeast` within `within` milliseconds. A
 * shorter `within` is harder to reach.
 */
export type Limits = Readonly<
  Partial<Record<"atLeast" | "within" | "score" | "mentions" | "reach" | "followers" | "story", number>>
>;

/** One of the limits is enough. */
export interface SeverityStep {
  readonly severity: Severity;
  readonly limits: readonly { readonly limits: Limits; readonly words: string }[];
}

/** The severity that the evidence has reached, and its limit: "at least 200 in 30 min". */
export interface ReachedSeverity {
  readonly severity: Severity;
  readonly step: string;
}

/** What the steps of one kind of rule may name. */
export interface StepKind {
  /** "a rule with volume", for faults. */
  readonly what: string;
  readonly limits: z.ZodType<Limits>;
  /** The rule's own limits: a step that requires no more is reached from the start. */
  readonly own: Limits;
  /** The rule's own maximum: a step above it is never reached. */
  readonly most?: Limits;
  describe(limits: Limits): string;
}

/** The parsed `severity`: the initial one, and the steps above it, most severe first. */
export interface SeverityPlan {
  readonly base: Severity;
  readonly steps: readonly SeverityStep[];
}

/**
 * Reads `severity: { info: always, warning: { atLeast: 50 }, critical: { atLeast: 200 } }`. Reports every fault, and
 * returns undefined if there was one. Without `kind`, the rule has one severity.
 */
export function readSeveritySteps(
  input: Readonly<Record<string, unknown>>,
  kind: StepKind | undefined,
  condition: string,
  report: (issue: Issue) => void,
): SeverityPlan | undefined {
  let isValid = true;
  const fault = (path: readonly (string | number)[], message: string): void => {
    isValid = false;
    report({ path: ["severity", ...path], message });
  };
  for (const name of Object.keys(input).filter((key) => !Severity.safeParse(key).success)) {
    isValid = false;
    report(unknownKey(["severity", name], Severity.options));
  }
  const named = Severity.options.filter((severity) => input[severity] !== undefined);
  const bases = named.filter((severity) => input[severity] === "always");
  const [base] = bases;
  if (base === undefined) {
    fault(
      [],
      'one severity has to be "always": the one that an alert has from the start, as in info: always',
    );
  }
  for (const other of bases.slice(1)) fault([other], `only one severity can be "always", and ${base} is`);
  const steps: SeverityStep[] = [];
  for (const severity of named.filter((one) => input[one] !== "always")) {
    if (kind === undefined) {
      fault(
        [severity],
        `a rule with ${condition} has one severity; steps go with mentions, volume, share and spike`,
      );
      continue;
    }
    const step = readStep(severity, input[severity], kind, (issue) => {
      isValid = false;
      report({ ...issue, path: ["severity", severity, ...issue.path] });
    });
    if (step !== undefined) steps.push(step);
  }
  if (base === undefined || kind === undefined || !isValid) {
    return base === undefined || !isValid ? undefined : { base, steps: [] };
  }
  checkOrder(base, steps, kind, fault);
  return isValid ? { base, steps: steps.reverse() } : undefined;
}

/** The most severe step that is reached. */
export function reachedSeverity(
  steps: readonly SeverityStep[],
  isReached: (limits: Limits) => boolean,
): ReachedSeverity | undefined {
  for (const { severity, limits } of steps) {
    const found = limits.find((one) => isReached(one.limits));
    if (found !== undefined) return { severity, step: found.words };
  }
  return undefined;
}

function readStep(
  severity: Severity,
  value: unknown,
  { limits: schema, describe, what }: StepKind,
  report: (issue: Issue) => void,
): SeverityStep | undefined {
  const many = Array.isArray(value);
  const parts: readonly unknown[] = many ? value : [value];
  if (parts.length === 0) report({ path: [], message: "the list is empty" });
  const limits = parts.flatMap((part, index) => {
    const path = many ? [index] : [];
    if (typeof part !== "object" || part === null) {
      report({
        path,
        message: `expected "always" or what ${what} has to reach for ${severity}, such as { ${exampleOf(schema)} }`,
      });
      return [];
    }
    const parsed = schema.safeParse(part);
    if (parsed.success) return [{ limits: parsed.data, words: describe(parsed.data) }];
    const issues = describeIssues(parsed.error, schema, part);
    // Report the wrong key only: the missing right key is the same mistake.
    const misplaced = issues.filter(({ at }) => at === "key");
    for (const issue of misplaced.length > 0 ? misplaced : issues)
      report({ ...issue, path: [...path, ...issue.path] });
    return [];
  });
  return limits.length === parts.length && limits.length > 0 ? { severity, limits } : undefined;
}

function exampleOf(schema: z.ZodType): string {
  const inner = schema instanceof z.ZodPipe ? schema.in : schema;
  const [first = "atLeast"] = inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
  return `${first}: …`;
}

/** A more severe step must have higher limits. */
function checkOrder(
  base: Severity,
  steps: readonly SeverityStep[],
  { own, most = {}, what }: StepKind,
  fault: (path: readonly string[], message: string) => void,
): void {
  let before: SeverityStep | undefined;
  for (const step of steps) {
    if (compareSeverity(step.severity, base) < 0) {
      fault([step.severity], `can never be reached: an alert of this rule is ${base} from the start`);
    } else if (step.limits.every(({ limits }) => isAbove(limits, most))) {
      fault([step.severity], `can never be reached: "when" lets nothing through that is so large`);
    } else if (step.limits.some(({ limits }) => implies(own, limits))) {
      fault(
        [step.severity],
        `is reached from the start: ${what} asks for as much already. So nothing is ever ${base}`,
      );
    } else if (before !== undefined && isNoHarder(step, before)) {
      fault(
        [step.severity],
        `falls: it asks for no more than ${before.severity}, so nothing is ever ${before.severity}`,
      );
    }
    before = step;
  }
}

/** Everything that reaches the milder step reaches the more severe one, too. */
function isNoHarder(moreSevere: SeverityStep, milder: SeverityStep): boolean {
  return milder.limits.every((one) => moreSevere.limits.some((other) => implies(one.limits, other.limits)));
}

/** Whether everything that reaches `harder` reaches `easier`, too. */
function implies(harder: Limits, easier: Limits): boolean {
  return Object.entries(easier).every(([key, limit]) => {
    if (key === "within") return (harder.within ?? Number.POSITIVE_INFINITY) <= limit;
    const own = harder[key as keyof Limits];
    return own !== undefined && own >= limit && (key !== "atLeast" || isAsShort(harder, easier));
  });
}

function isAsShort(harder: Limits, easier: Limits): boolean {
  return (harder.within ?? Number.POSITIVE_INFINITY) <= (easier.within ?? Number.POSITIVE_INFINITY);
}

function isAbove(limits: Limits, most: Limits): boolean {
  return Object.entries(most).some(([key, limit]) => (limits[key as keyof Limits] ?? 0) > limit);
}

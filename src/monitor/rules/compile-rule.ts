import { describeIssues } from "../../lib/describe-issues.ts";
import type { Issue } from "../../lib/errors.ts";
import { HOUR } from "../../lib/instant.ts";
import { isRecord } from "../../lib/json.ts";
import { formatNumber } from "../../lib/numbers.ts";
import { fitsGlob } from "../../lib/patterns.ts";
import type { Query } from "../model/query.ts";
import { titleOf } from "../model/wording.ts";
import { everyMention } from "./combine-predicates.ts";
import { windowConditions } from "./conditions.ts";
import { GROUP_KEYS, type GroupKey, groupValue } from "./group-key.ts";
import { mentionReaches, mentionSteps } from "./mention-steps.ts";
import type { Novelty } from "./novelty.ts";
import type { Predicate } from "./predicate.ts";
import { readTree } from "./read-tree.ts";
import type { Rule } from "./rule.ts";
import { RuleFile } from "./rule-file.ts";
import {
  reachedSeverity,
  readSeveritySteps,
  type SeverityPlan,
  type SeverityStep,
} from "./severity-steps.ts";
import { sliceOf } from "./slice.ts";
import type { WindowCondition } from "./window-condition.ts";

/** How long after its last mention an alert on single mentions resolves, unless the rule says otherwise. */
const MENTION_OVER_AFTER_MS = 6 * HOUR;

/** Compiles the content of a rule file. Reports every fault; returns undefined if there was one. */
export function compileRule(
  name: string,
  input: unknown,
  addIssue: (issue: Issue) => void,
): Rule | undefined {
  let faulty = false;
  const report = (issue: Issue): void => {
    faulty = true;
    addIssue(issue);
  };
  if (countParts(input, MOST_PARTS) > MOST_PARTS) {
    const most = formatNumber(MOST_PARTS);
    report({
      path: [],
      message: `a rule has at most ${most} keys and lists; the words of a list do not count`,
    });
    return undefined;
  }
  // Severity steps depend on what the rule counts, so they are read separately.
  const plain = withPlainSeverity(input);
  const parsed = RuleFile.safeParse(plain);
  if (!parsed.success) for (const issue of describeIssues(parsed.error, RuleFile, plain)) report(issue);
  // Read the conditions even if other parts have faults, so that one check finds all faults.
  const tree = isRecord(input) ? input["when"] : undefined;
  const when = tree === undefined ? everyMention : readTree(tree, ["when"], report);
  const plan = isRecord(input) ? readSeverity(input, tree, report) : undefined;
  const counted = isRecord(input)
    ? readWindow(input, when ?? everyMention, tree === undefined, plan?.steps ?? [], report)
    : undefined;
  if (parsed.success) checkWhole(name, parsed.data, counted, tree, report);
  if (!parsed.success || when === undefined || faulty) return undefined;
  return ruleOf(name, { ...parsed.data, severity: plan?.base ?? parsed.data.severity }, when, counted, plan);
}

/** More than any rule that a person wrote; each is checked on its own, and each is a condition for every mention. */
const MOST_PARTS = 1_000;

/** The keys and lists of a value, at all depths. Stops when there are more than `most`: an alias may contain itself. */
function countParts(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner: readonly unknown[] = Object.values(value);
  let parts = Array.isArray(value) ? 1 : Math.max(1, inner.length);
  for (const one of inner) {
    if (parts > most) return parts;
    parts += countParts(one, most - parts);
  }
  return parts;
}

function withPlainSeverity(input: unknown): unknown {
  return isRecord(input) && isRecord(input["severity"]) ? { ...input, severity: "info" } : input;
}

/** Undefined if the rule has one severity, or its steps have faults. */
function readSeverity(
  input: Record<string, unknown>,
  tree: unknown,
  report: (issue: Issue) => void,
): SeverityPlan | undefined {
  const { severity } = input;
  if (!isRecord(severity)) return undefined;
  const found = windowConditions.find(({ type }) => input[type] !== undefined);
  if (found === undefined) return readSeveritySteps(severity, mentionSteps(tree), "", report);
  const kind = found.stepsOf?.(input[found.type]);
  // Faults of the condition itself are reported separately.
  if (found.stepsOf !== undefined && kind === undefined) return undefined;
  return readSeveritySteps(severity, kind, found.type, report);
}

interface CompiledWindow {
  readonly type: string;
  readonly overAfterMs: number;
  readonly window: WindowCondition | undefined;
  readonly novelty: Novelty | undefined;
}

function readWindow(
  input: Record<string, unknown>,
  when: Predicate,
  isEverything: boolean,
  steps: readonly SeverityStep[],
  report: (issue: Issue) => void,
): CompiledWindow | undefined {
  const present = windowConditions.filter(({ type }) => input[type] !== undefined);
  for (const { type } of present.slice(1)) {
    report({
      path: [type],
      at: "key",
      message: `a rule counts one thing, and it has "${present[0]?.type}" already`,
    });
  }
  const [found] = present;
  if (found === undefined) return undefined;
  const { type, overAfterMs } = found;
  const inside = (value: unknown, path: readonly string[]) => readTree(value, [type, ...path], report);
  const compiled = found.compile(input[type], sliceOf(when, isEverything), inside, steps);
  const nothing = { window: undefined, novelty: undefined };
  if ("window" in compiled) return { type, overAfterMs, ...nothing, window: compiled.window };
  if ("novelty" in compiled) return { type, overAfterMs, ...nothing, novelty: compiled.novelty };
  for (const issue of compiled.issues) report({ ...issue, path: [type, ...issue.path] });
  return { type, overAfterMs, ...nothing };
}

function checkWhole(
  name: string,
  file: RuleFile,
  counted: CompiledWindow | undefined,
  tree: unknown,
  report: (issue: Issue) => void,
): void {
  if (file.name !== undefined && file.name !== name) {
    report({
      path: ["name"],
      message: `the file is called ${name}, so the rule has to be, too`,
      suggestion: name,
    });
  }
  if (counted === undefined && tree === undefined) {
    report({
      path: [],
      message: `the rule has no condition: it needs "when" or one of ${windowConditions.map(({ type }) => type).join(", ")}`,
    });
  }
  // With faults in what it counts, neither of the two is known.
  if (file.for !== undefined && file.for > 0 && (counted === undefined || counted.novelty !== undefined)) {
    const what = counted === undefined ? "single mentions" : "values that are new once";
    report({
      path: ["for"],
      at: "key",
      message: `"for" waits until counts have been so for a time, and this rule looks at ${what}: it would stay silent about them. Leave it out, or count mentions with "volume"`,
    });
  }
  const extra = file.groupBy?.find((key) => key !== "query");
  if (counted !== undefined && extra !== undefined) {
    report({
      path: ["groupBy"],
      message: `"${counted.type}" counts per query, so it can be grouped by query only`,
    });
  }
  for (const key of Object.keys(file.labels ?? {})) {
    if (GROUP_KEYS.some((known) => known === key)) {
      report({ path: ["labels", key], at: "key", message: `"${key}" is a group key and cannot be a label` });
    }
  }
}

function ruleOf(
  name: string,
  file: RuleFile,
  when: Predicate,
  counted: CompiledWindow | undefined,
  plan: SeverityPlan | undefined,
): Rule {
  const steps = plan?.steps ?? [];
  const groupBy: readonly GroupKey[] = [...new Set<GroupKey>(["query", ...(file.groupBy ?? [])])];
  const base = {
    name,
    title: file.title ?? titleOf(name),
    description: file.description,
    severity: file.severity,
    queries: file.queries ?? null,
    severities: [file.severity, ...steps.map(({ severity }) => severity).reverse()],
    severitySteps: steps.map(({ severity, limits }) => ({
      severity,
      words: limits.map(({ words }) => words),
    })),
    appliesTo: appliesTo(file.queries),
    when,
    judge: (mention) =>
      when.matches(mention) ? { met: true, because: when.explain(mention) } : { met: false },
    groupBy,
    labels: (mention, query, story) =>
      Object.fromEntries(groupBy.map((key) => [key, groupValue(key, mention, query, story)])),
    forMs: file.for ?? 0,
    overAfterMs: file.over?.after ?? counted?.overAfterMs ?? MENTION_OVER_AFTER_MS,
    reopenWithinMs: file.reopenWithin ?? 0,
    incident: file.incident === "never" ? null : (file.incident ?? ""),
    catchUp: file.catchUp ?? "in-order",
    extraLabels: file.labels ?? {},
  } satisfies Partial<Rule>;
  if (counted?.window !== undefined) return { ...base, kind: "window", window: counted.window };
  if (counted?.novelty !== undefined) return { ...base, kind: "new", novelty: counted.novelty };
  return {
    ...base,
    kind: "mention",
    countsStory: steps.some(({ limits }) => limits.some(({ limits: { story } }) => story !== undefined)),
    reached: (facts) => reachedSeverity(steps, (limits) => mentionReaches(facts, limits)),
  };
}

function appliesTo(patterns: readonly string[] | undefined): (query: Query) => boolean {
  if (patterns === undefined) return () => true;
  const globs = patterns.map((pattern) => pattern.toLowerCase());
  return ({ queryId, name }) =>
    globs.some((glob) => glob === queryId.toLowerCase() || fitsGlob(glob, name.toLowerCase()));
}

import { unknownKey } from "../../lib/describe-issues.ts";
import type { Issue } from "../../lib/errors.ts";
import { allOf, anyOf, noneOf } from "./combine-predicates.ts";
import { mentionConditions, windowConditions } from "./conditions.ts";
import type { Predicate } from "./predicate.ts";

type Path = readonly (string | number)[];

/** Deeper than any rule needs, and safe for the stack. */
const DEEPEST = 20;

/**
 * Reads a tree of conditions. All keys of one level must match; `all` and `any` take lists, `not` takes one tree.
 * Reports every issue of the whole tree; returns undefined if there was one.
 */
export function readTree(
  value: unknown,
  path: Path,
  addIssue: (issue: Issue) => void,
): Predicate | undefined {
  if (path.length > 2 * DEEPEST) {
    addIssue({ path, message: "conditions are nested too deeply" });
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    addIssue({ path, message: `expected conditions such as "sentiment: negative"${hint(value)}` });
    return undefined;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) addIssue({ path, message: "there is no condition here" });
  const parts = entries.map(([key, params]) => readEntry(key, params, [...path, key], addIssue));
  const valid = parts.filter((part) => part !== undefined);
  return valid.length === parts.length && parts.length > 0 ? allOf(valid) : undefined;
}

function readEntry(
  key: string,
  params: unknown,
  path: Path,
  addIssue: (issue: Issue) => void,
): Predicate | undefined {
  if (key === "all" || key === "any") return readList(key === "all" ? allOf : anyOf, params, path, addIssue);
  if (key === "not") {
    const part = readTree(params, path, addIssue);
    return part === undefined ? undefined : noneOf(part);
  }
  const condition = mentionConditions.find(({ type }) => type === key);
  if (condition === undefined) {
    addIssue(
      misplaced(key, path) ??
        unknownKey(path, [...mentionConditions.map(({ type }) => type), "all", "any", "not"]),
    );
    return undefined;
  }
  const compiled = condition.compile(params);
  if ("predicate" in compiled) return compiled.predicate;
  for (const issue of compiled.issues) addIssue({ ...issue, path: [...path, ...issue.path] });
  return undefined;
}

function readList(
  combine: (parts: readonly Predicate[]) => Predicate,
  value: unknown,
  path: Path,
  addIssue: (issue: Issue) => void,
): Predicate | undefined {
  if (!Array.isArray(value) || value.length === 0) {
    addIssue({ path, message: `expected a list of conditions, each behind a dash` });
    return undefined;
  }
  const parts = value.map((each, index) => readTree(each, [...path, index], addIssue));
  const valid = parts.filter((part) => part !== undefined);
  return valid.length === parts.length ? combine(valid) : undefined;
}

function misplaced(key: string, path: Path): Issue | undefined {
  if (!windowConditions.some(({ type }) => type === key)) return undefined;
  return {
    path,
    at: "key",
    message: `"${key}" counts mentions over time: put it next to "when", not inside it`,
  };
}

function hint(value: unknown): string {
  return Array.isArray(value) ? ': put the list behind "all:" or "any:"' : "";
}

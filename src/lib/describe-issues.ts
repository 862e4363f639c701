import { z } from "zod";
import { closestWord } from "./closest-word.ts";
import type { Issue } from "./errors.ts";
import { groupBy } from "./group-by.ts";

type Path = readonly (string | number)[];

/** Describes what a schema found wrong with `input` to the person who wrote it, with the nearest right word. */
export function describeIssues(error: z.ZodError, schema: z.ZodType, input: unknown): Issue[] {
  const issues = error.issues.flatMap((issue) => chosenIssues(issue, input));
  const unknown = issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") return [];
    const path = pathOf(issue);
    return issue.keys.map((key) => unknownKey([...path, key], keysAt(schema, path, input)));
  });
  const others = issues
    .filter((issue) => issue.code !== "unrecognized_keys")
    .map((issue) => describeIssue(issue, pathOf(issue), valueAt(input, pathOf(issue))));
  const byParent = groupBy(unknown, ({ path }) => path.slice(0, -1).join("."));
  const isExplained = (issue: Issue) =>
    byParent.get(issue.path.join("."))?.some((key) => explains(key, issue)) === true;
  return [...unknown, ...others.filter((issue) => !isExplained(issue))];
}

/** Of keys that fit none of several forms: what is wrong with the form that they come nearest to. */
function chosenIssues(issue: z.core.$ZodIssue, input: unknown): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.message !== "Invalid input") return [issue];
  const value = valueAt(input, pathOf(issue));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [issue];
  const [nearest] = issue.errors.toSorted((a, b) => faultsIn(a) - faultsIn(b));
  if (nearest === undefined) return [issue];
  return nearest.flatMap((one) => chosenIssues({ ...one, path: [...issue.path, ...one.path] }, input));
}

function faultsIn(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, one) => sum + (one.code === "unrecognized_keys" ? one.keys.length : 1), 0);
}

/** Of one map: a key that is missing because it is misspelled, or keys that lack context because one of them is. */
function explains(unknown: Issue, issue: Issue): boolean {
  return (
    issue.message === `"${unknown.suggestion}" is missing` || issue.message.startsWith("expected atLeast or")
  );
}

function pathOf(issue: z.core.$ZodIssue): Path {
  return issue.path.map((part) => (typeof part === "number" ? part : String(part)));
}

/** An unknown key, and what it should have been. */
export function unknownKey(path: Path, known: readonly string[]): Issue {
  const key = String(path.at(-1));
  const suggestion = closestWord(key, known);
  return {
    path,
    at: "key",
    message: `unknown key "${key}"${known.length === 0 ? "" : ` (known here: ${known.join(", ")})`}`,
    suggestion,
  };
}

/** A value outside a list, and the one that was probably meant. */
function unknownValue(path: Path, value: unknown, known: readonly string[]): Issue {
  const suggestion = typeof value === "string" ? closestWord(value, known) : undefined;
  return { path, message: `expected one of ${known.join(", ")}, got ${show(value)}`, suggestion };
}

function describeIssue(issue: z.core.$ZodIssue, path: Path, value: unknown): Issue {
  if (value === undefined && path.length > 0 && issue.code !== "custom") {
    return { path: path.slice(0, -1), message: `"${path.at(-1)}" is missing` };
  }
  if (issue.code === "invalid_value" && !issue.message.startsWith("Invalid "))
    return { path, message: issue.message };
  if (issue.code === "invalid_value") return unknownValue(path, value, issue.values.map(String));
  if (issue.code === "invalid_union" && "options" in issue && Array.isArray(issue.options)) {
    return unknownValue(path, value, issue.options.map(String));
  }
  // If the schema has its own message for it, that message is better.
  if (issue.code === "invalid_type")
    return issue.message.startsWith("Invalid ")
      ? wrongType(path, value, issue.expected)
      : { path, message: issue.message };
  // An address that is half right may contain a secret, so it is not repeated.
  if (issue.code === "invalid_format" && issue.message === "Invalid URL")
    return { path, message: "expected an address that begins with https:// or http://" };
  if (issue.code === "invalid_format" && issue.format === "email")
    return { path, message: `expected an email address, got ${show(value)}` };
  if (issue.code === "too_small" && issue.origin === "array") return { path, message: "the list is empty" };
  if (issue.code === "too_small" || issue.code === "too_big")
    return { path, message: outOfBounds(issue, path, value) };
  const meant: unknown = issue.code === "custom" ? issue.params?.["suggestion"] : undefined;
  return { path, message: issue.message, ...(typeof meant === "string" ? { suggestion: meant } : {}) };
}

function outOfBounds(
  issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  path: Path,
  value: unknown,
): string {
  const word =
    issue.code === "too_small"
      ? `${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`
      : `${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}`;
  if (issue.origin === "array") return `expected ${word} entries`;
  if (typeof value !== "string") return `expected ${word}, got ${show(value)}`;
  const got = SECRET.test(String(path.at(-1))) ? `${value.length}` : show(value);
  return `expected ${word} characters, got ${got}`;
}

function wrongType(path: Path, value: unknown, expected: string): Issue {
  const isSecret = SECRET.test(String(path.at(-1)));
  // Text in place of keys may be a login in one line.
  const isText = typeof value === "string" && (expected === "object" || expected === "record");
  const got = isText ? "text" : isSecret ? `a ${Array.isArray(value) ? "list" : typeof value}` : show(value);
  // A number in place of text only needs quotation marks, so the suggestion shows them.
  const meant =
    expected === "boolean"
      ? BOOLEANS[String(value).toLowerCase()]
      : expected === "string" && typeof value === "number" && !isSecret
        ? String(value)
        : undefined;
  const message = `expected ${EXPECTED[expected] ?? expected}, got ${got}`;
  return { path, message, suggestion: meant };
}

/** What no error may show. */
const SECRET = /password|token|secret|key$/i;

const EXPECTED: Record<string, string> = {
  string: "text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "keys with values",
  record: "keys with values",
  array: "a list",
};

/** YAML 1.2 reads these as text, people still write them. */
const BOOLEANS: Record<string, string> = { yes: "true", on: "true", no: "false", off: "false" };

function show(value: unknown): string {
  if (typeof value === "string") return `"${value.slice(0, 60)}"`;
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "keys with values" : String(value);
}

function valueAt(input: unknown, path: Path): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return typeof part === "number" ? value : undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

/** The keys that the schema knows at a path; of a union, those of the option that `input` chose. */
function keysAt(schema: z.ZodType, path: Path, input: unknown): readonly string[] {
  let inner: unknown = schema;
  for (const [depth, part] of [...path, undefined].entries()) {
    while (
      inner instanceof z.ZodOptional ||
      inner instanceof z.ZodExactOptional ||
      inner instanceof z.ZodDefault ||
      inner instanceof z.ZodPrefault
    ) {
      inner = inner.unwrap();
    }
    if (inner instanceof z.ZodPipe) inner = inner.in;
    if (inner instanceof z.ZodDiscriminatedUnion)
      inner = chosenOf(inner, valueAt(input, path.slice(0, depth)));
    else if (inner instanceof z.ZodUnion) inner = nearestOf(inner, valueAt(input, path.slice(0, depth)));
    if (inner instanceof z.ZodArray && typeof part === "number") {
      inner = inner.element;
      continue;
    }
    if (!(inner instanceof z.ZodObject)) return [];
    if (part === undefined) return Object.keys(inner.shape);
    inner = (inner.shape as Record<string | number, unknown>)[part];
  }
  return [];
}

function nearestOf({ options }: z.ZodUnion, value: unknown): unknown {
  const faults = (option: unknown) =>
    option instanceof z.ZodType ? faultsIn(option.safeParse(value).error?.issues ?? []) : 0;
  return options.toSorted((a, b) => faults(a) - faults(b))[0];
}

function chosenOf({ options, def }: z.ZodDiscriminatedUnion, value: unknown): unknown {
  const tag = valueAt(value, [def.discriminator]);
  return options.find((option) => {
    const literal = option instanceof z.ZodObject ? option.shape[def.discriminator] : undefined;
    return literal instanceof z.ZodLiteral && literal.values.has(tag as string);
  });
}

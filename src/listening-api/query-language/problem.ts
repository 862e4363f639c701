/** A stretch of the query text in UTF-16 units, the end not included. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * A finding of the linter. An `error` makes the query unusable; a `warning` says that it probably does not mean what
 * was intended; a `note` explains what the text does not show.
 */
export interface Problem extends Span {
  readonly severity: "error" | "warning" | "note";
  /** Names the rule, for programs: never changes. */
  readonly rule: ProblemRule;
  /** What is wrong and what to write instead, as sentences. */
  readonly message: string;
}

type ProblemRule =
  | "empty"
  | "unclosed"
  | "unopened"
  | "missing-operand"
  | "only-negates"
  | "mixed-operators"
  | "mixed-near"
  | "near-operand"
  | "near-distance"
  | "implicit-and"
  | "lower-case-operator"
  | "ambiguous-not"
  | "matches-nearly-all"
  | "tilde"
  | "tilde-single-word"
  | "tilde-nesting"
  | "wildcard"
  | "wildcard-after-sign"
  | "many-wildcards"
  | "upper-case-length"
  | "nothing-to-find"
  | "typographic-quotes"
  | "comment-in-brackets"
  | "space-before-colon"
  | "field-value"
  | "field-unknown"
  | "field-gone"
  | "field-place"
  | "field-wildcard"
  | "field-without-values"
  | "field-negated"
  | "range"
  | "too-deep"
  | "too-long"
  | "too-many";

/** Collects problems, at most fifty: a file full of brackets gets a short answer. */
export interface Problems {
  add(severity: Problem["severity"], rule: ProblemRule, span: Span, message: string): void;
  readonly all: readonly Problem[];
  hasErrors(): boolean;
}

const MOST = 50;

export function createProblems(): Problems {
  const all: Problem[] = [];
  let left = MOST;
  let errors = 0;
  return {
    all,
    hasErrors: () => errors > 0,
    add(severity, rule, { start, end }, message) {
      if (severity === "error") errors++;
      if (left === 0) return;
      left--;
      all.push({ severity, rule, start, end, message });
      if (left === 0)
        all.push({
          severity: "note",
          rule: "too-many",
          start,
          end,
          message: "There is more; mend this first.",
        });
    },
  };
}

/** A Boolean text that cannot be used. Its message is one line; `problems` say where and what to write instead. */
export class QueryTextError extends Error {
  override readonly name = "QueryTextError";
  readonly problems: readonly Problem[];
  constructor(queryName: string, problems: readonly Problem[]) {
    const errors = problems.filter((problem) => problem.severity === "error");
    const faults = errors.map(({ start, message }) => `at character ${start + 1}: ${message}`).join(" ");
    super(`The text of query ${JSON.stringify(queryName)} is not valid; ${faults}`);
    this.problems = problems;
  }
}

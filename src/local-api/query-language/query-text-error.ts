import type { Problem } from "./problem.ts";

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

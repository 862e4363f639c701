import { compile } from "./compile.ts";
import type { Problem } from "./problem.ts";

/** Where a text is used: a few fields work in searches inside results only. */
export type QueryPlace = "query" | "search";

/** All problems of a query text, in the order of the text. Never throws. */
export function lint(text: string, place: QueryPlace = "query"): readonly Problem[] {
  const compiled = compile(text);
  const problems = compiled.ok ? compiled.query.problems : compiled.problems;
  return place === "query" ? problems : problems.filter(({ rule }) => rule !== "field-place");
}

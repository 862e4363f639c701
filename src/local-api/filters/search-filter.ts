import type { ParameterReader } from "../parameters/parameter-reader.ts";
import { type CompiledQuery, compile } from "../query-language/compile.ts";

/** `search`: a Boolean text, searched inside the results. Its faults are reported with their positions. */
export function readSearch(parameters: ParameterReader): CompiledQuery | undefined {
  const text = parameters.text("search");
  if (text === undefined) return undefined;
  const compiled = compile(text);
  if (compiled.ok) return compiled.query;
  for (const problem of compiled.problems)
    if (problem.severity === "error")
      parameters.fault(`search: at character ${problem.start + 1}: ${problem.message}`);
  return undefined;
}

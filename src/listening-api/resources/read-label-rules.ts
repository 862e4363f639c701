import { setImmediate as nextTurn } from "node:timers/promises";
import { isRecord, type JsonValue } from "../../lib/json.ts";
import { labelScope, readRule } from "../assign/label-rules.ts";
import { quote } from "../parameters/body-reader.ts";
import { compile } from "../query-language/compile.ts";
import type { LabelRule } from "../records/labels.ts";
import type { ResourceScope } from "./resource.ts";

const MAX_RULES = 100;

/**
 * `[{"filter": {"search": "…", "sentiment": ["positive"]}}]`. Faults are reported to `fault`; undefined if none were
 * sent.
 */
export async function readLabelRules(
  given: unknown,
  where: string,
  fault: (message: string) => void,
  scope: Pick<ResourceScope, "db"> & { readonly project: { readonly id: number; readonly timezone: string } },
): Promise<readonly LabelRule[] | undefined> {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given) || given.length > MAX_RULES) {
    fault(`${where}: expected an array of at most ${MAX_RULES} objects with a filter, got ${quote(given)}.`);
    return undefined;
  }
  const rules: LabelRule[] = [];
  for (const [index, rule] of given.entries()) {
    // Each may take as long as a whole query.
    if (index > 0) await nextTurn();
    const filter = isRecord(rule) ? (rule["filter"] ?? {}) : undefined;
    if (!isRecord(filter)) {
      fault(`${where}[${index}].filter: expected an object of filters, got ${quote(filter)}.`);
      continue;
    }
    const { search } = filter;
    if (search !== undefined && search !== null) {
      const compiled = typeof search === "string" ? compile(search) : undefined;
      if (compiled === undefined)
        fault(`${where}[${index}].filter.search: expected text, got ${quote(search)}.`);
      else if (!compiled.ok)
        for (const { severity, start, message } of compiled.problems)
          if (severity === "error")
            fault(`${where}[${index}].filter.search: at character ${start + 1}: ${message}`);
    }
    rules.push({ filter: filter as Readonly<Record<string, JsonValue>> });
  }
  for (const [index, rule] of rules.entries()) {
    await nextTurn();
    await readRule(rule, labelScope(scope.db, scope.project), (message) =>
      fault(`${where}[${index}].filter.${message}`),
    );
  }
  return rules;
}

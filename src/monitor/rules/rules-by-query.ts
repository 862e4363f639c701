import type { Query } from "../model/query.ts";
import type { Rule } from "./rule.ts";

/** Rules are matched with queries once, not with every page. */
export function rulesByQuery(rules: readonly Rule[]): (query: Query) => readonly Rule[] {
  const known = new Map<string, readonly Rule[]>();
  return (query) => {
    const key = JSON.stringify([query.projectId, query.queryId, query.name]);
    const found = known.get(key) ?? rules.filter((rule) => rule.appliesTo(query));
    known.set(key, found);
    return found;
  };
}

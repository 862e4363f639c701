import { capitalised } from "../../../lib/text.ts";
import type { Query } from "../../model/query.ts";
import type { Severity } from "../../model/severity.ts";
import { type RouteConfig, routeAlert } from "./route.ts";

/**
 * Who is notified of the alerts of a rule, in a sentence for each severity: `Warning: comms. Critical: comms, on-call.` It is
 * what the routes say of its queries; the labels of a single mention may lead elsewhere, and escalations come later.
 */
export function describeNotified(
  rule: {
    readonly name: string;
    readonly severities: readonly Severity[];
    readonly extraLabels: Readonly<Record<string, string>>;
  },
  queries: readonly Pick<Query, "queryId" | "name">[],
  routes: readonly RouteConfig[],
): string {
  if (queries.length === 0) return "No query of it is watched.";
  return rule.severities
    .map((severity) => {
      const sets = queries.map(({ queryId, name }) => {
        const labels = { ...rule.extraLabels, query: name };
        const routing = routeAlert(routes, { severity, queryId, queryName: name, rule: rule.name, labels });
        return routing.outcome === "NoRoute" ? [] : routing.to.map(({ receiver }) => receiver);
      });
      const all = [...new Set(sets.flat())];
      const differs = sets.some((receivers) => receivers.length < all.length);
      const whom = all.length === 0 ? "nobody, the console shows them" : all.join(", ");
      return `${capitalised(severity)}: ${whom}${differs ? " (not for every query)" : ""}.`;
    })
    .join(" ");
}

import { AlertMatch } from "#monitor";
import { UserError } from "../../lib/errors.ts";

/** `query=Acme*`, `rule=volume-*`, `severity=warning`, `author=bot*`, `rule!=crisis-*` → matchers. */
export function readMatch(texts: readonly string[]): AlertMatch {
  const match: Conditions = { labels: {} };
  const not: Conditions = { labels: {} };
  for (const text of texts) {
    const [, name = "", sign, value = ""] = /^([\w-]+)\s*(!?=)\s*(.+)$/s.exec(text.trim()) ?? [];
    if (name === "") {
      throw new UserError(`"${text}" is no matcher`, [
        "write query=Acme*, rule=volume-*, severity=warning (and milder with !=), or label=value",
      ]);
    }
    put(sign === "!=" ? not : match, name, value);
  }
  const parsed = AlertMatch.safeParse({ ...tidy(match), ...(isEmpty(not) ? {} : { not: tidy(not) }) });
  if (parsed.success) return parsed.data;
  throw new UserError("the matchers have a fault", [
    ...new Set(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`)),
  ]);
}

interface Conditions {
  severity?: string;
  query?: string[];
  rule?: string[];
  labels: Record<string, string[]>;
}

function put(to: Conditions, name: string, value: string): void {
  if (name === "severity") to.severity = value;
  else if (name === "query" || name === "rule") to[name] = [...(to[name] ?? []), value];
  else to.labels[name] = [...(to.labels[name] ?? []), value];
}

function tidy({ labels, ...rest }: Conditions) {
  return { ...rest, ...(Object.keys(labels).length > 0 && { labels }) };
}

function isEmpty(conditions: Conditions): boolean {
  return Object.keys(tidy(conditions)).length === 0;
}

import { SECOND } from "../lib/instant.ts";
import type { ConsoleFacts } from "./facts.ts";
import type { Times } from "./times.ts";

/** A few gauges in Prometheus' text format: what pages somebody when Earshot itself is in trouble. */
export async function renderMetrics(facts: ConsoleFacts, times: Times): Promise<string> {
  const now = times.now();
  const [open, due, walks] = await Promise.all([
    facts.countOpenAlerts(),
    facts.countDueNotifications(),
    facts.coverage(now),
  ]);
  const added = walks.filter((walk) => walk.walk === "added");
  const lags = added.flatMap(({ queryId, completeUntil }) =>
    completeUntil === null
      ? []
      : [`earshot_query_lag_seconds{query="${label(queryId)}"} ${Math.max(0, now - completeUntil) / SECOND}`],
  );
  const failing = walks.filter((walk) => walk.failures > 0).length;
  return [
    "# HELP earshot_open_alerts Alerts that are not resolved.",
    "# TYPE earshot_open_alerts gauge",
    `earshot_open_alerts ${open}`,
    "# HELP earshot_due_notifications Notifications that wait to be sent.",
    "# TYPE earshot_due_notifications gauge",
    `earshot_due_notifications ${due}`,
    "# HELP earshot_failing_walks Walks whose last call failed.",
    "# TYPE earshot_failing_walks gauge",
    `earshot_failing_walks ${failing}`,
    "# HELP earshot_query_lag_seconds Domain time since the moment up to which a query is completely stored.",
    "# TYPE earshot_query_lag_seconds gauge",
    ...lags,
    "",
  ].join("\n");
}

function label(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

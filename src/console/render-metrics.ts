import { Gauge as PrometheusGauge, Registry } from "prom-client";
import type { ConsoleFacts, ProcessVersions, QueueCounts, ShownBudget, ShownPoll } from "#monitor";
import { SECOND } from "../lib/instant.ts";
import type { Times } from "./common/times.ts";

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All our figures are read from the tables on request; this process keeps none. */
interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export function gauge(name: string, help: string, samples: readonly Sample[]): Gauge {
  return { name, help, samples };
}

/** Prometheus' text format. A gauge without samples is still listed. */
export function exposed(gauges: readonly Gauge[]): Promise<string> {
  const registry = new Registry();
  for (const { name, help, samples } of gauges) {
    const labelNames = Object.keys(samples[0]?.labels ?? (samples.length === 0 ? { none: "" } : {}));
    const metric = new PrometheusGauge({ name, help, labelNames, registers: [registry] });
    for (const { labels = {}, value } of samples) metric.set({ ...labels }, value);
  }
  return registry.metrics();
}

/**
 * Gauges in Prometheus' text format, to page somebody when Earshot itself has a problem. If the tables cannot be read,
 * only that is reported: a failed scrape would look as if the process were gone.
 */
export async function renderMetrics(
  facts: ConsoleFacts,
  times: Times,
  queues: () => Promise<readonly QueueCounts[]>,
  isReady: boolean,
): Promise<string> {
  const readiness = gauge("earshot_ready", "1 while /readyz says that every dependency works, else 0.", [
    { value: isReady ? 1 : 0 },
  ]);
  const gauges = await gaugesOf(facts, times, queues).catch((error: unknown) => {
    if (isReady) throw error;
    return [];
  });
  return exposed([readiness, ...gauges]);
}

async function gaugesOf(
  facts: ConsoleFacts,
  times: Times,
  queues: () => Promise<readonly QueueCounts[]>,
): Promise<Gauge[]> {
  const now = times.now();
  const [open, due, polls, counted, heartbeat, budgets, counts, configuration] = await Promise.all([
    facts.countOpenAlerts(),
    facts.countDueNotifications(),
    facts.coverage(now),
    facts.metricFacts(now),
    facts.heartbeat(),
    facts.budgets(),
    // If the queue is away, report everything else.
    queues().catch(() => []),
    facts.processVersions(),
  ]);
  return [
    gauge("earshot_open_alerts", "Alerts that are not resolved.", [{ value: open }]),
    gauge(
      "earshot_alerts",
      "Alerts that are open, or the newest of their kind and opened in the last 24 hours, by state.",
      counted.alerts.map(({ severity, state, n }) => ({ labels: { severity, state }, value: n })),
    ),
    gauge("earshot_due_notifications", "Notifications that wait to be sent.", [{ value: due }]),
    gauge(
      "earshot_notifications_24h",
      "Notifications decided in the last 24 hours, by receiver, state and the reason of the decision.",
      counted.notifications.map(({ n, ...labels }) => ({ labels, value: n })),
    ),
    gauge(
      "earshot_deliveries_24h",
      "Attempts to deliver in the last 24 hours, by receiver, outcome and the vendor's reason.",
      counted.deliveries.map(({ receiver, outcome, code, n }) => ({
        labels: { receiver, outcome, reason: code || "none" },
        value: n,
      })),
    ),
    ...configurationGauges(configuration),
    ...queryGauges(polls, now),
    ...budgetGauges(budgets),
    gauge(
      "earshot_failures",
      "Calls, receivers and jobs that fail at this moment, by reason.",
      counted.failures.map(({ kind, reason, n }) => ({ labels: { kind, reason }, value: n })),
    ),
    gauge(
      "earshot_dead_letters",
      "Dead letters: mentions, pages and jobs that always failed.",
      counted.deadLetters.map(({ kind, n }) => ({ labels: { kind }, value: n })),
    ),
    gauge(
      "earshot_jobs",
      "Jobs in the queues, by state.",
      counts.flatMap(({ queue, waiting, active, delayed, failed }) =>
        Object.entries({ waiting, active, delayed, failed }).map(([state, value]) => ({
          labels: { queue, state },
          value,
        })),
      ),
    ),
    gauge(
      "earshot_rows",
      "Rows of each table, as the database estimates them.",
      counted.rows.map(({ table, n }) => ({ labels: { table }, value: n })),
    ),
    gauge("earshot_database_bytes", "Size of the database.", [{ value: counted.databaseBytes }]),
    gauge(
      "earshot_pipeline_works",
      "1 while queries are polled and judged and receivers can be notified; else 0, with what does not work.",
      heartbeat === null
        ? []
        : [{ labels: { outcome: heartbeat.outcome }, value: heartbeat.outcome === "Beats" ? 1 : 0 }],
    ),
  ];
}

function configurationGauges({ asked, processes }: ProcessVersions): Gauge[] {
  return [
    gauge(
      "earshot_config_info",
      "1, with the version of the configuration, rules and templates that all processes should run.",
      asked === null ? [] : [{ labels: { version: asked }, value: 1 }],
    ),
    gauge("earshot_processes", "Processes of Earshot that run.", [{ value: processes.length }]),
    gauge(
      "earshot_event_loop_delay_seconds",
      "How late the event loop of each process was during the last minute: on average, and at most.",
      processes.flatMap(({ host, pid, roles, loop }) => {
        const labels = { host, pid: String(pid), roles: roles.join(",") };
        return [
          { labels: { ...labels, of: "mean" }, value: loop.meanMs / SECOND },
          { labels: { ...labels, of: "max" }, value: loop.maxMs / SECOND },
        ];
      }),
    ),
    gauge(
      "earshot_processes_on_other_version",
      "Processes that run another version of the configuration than was asked for.",
      [{ value: processes.filter(({ differsSince }) => differsSince !== null).length }],
    ),
    gauge(
      "earshot_processes_with_refused_reload",
      "Processes that refused the last reload and go on as before.",
      [{ value: processes.filter(({ refused }) => refused !== null).length }],
    ),
  ];
}

function queryGauges(polls: readonly ShownPoll[], now: number): Gauge[] {
  const labels = ({ projectId, queryId, queryName }: ShownPoll) => ({
    project: projectId,
    query: queryId,
    name: queryName,
  });
  const added = polls.filter((poll) => poll.poll === "added");
  const lags = added.flatMap((poll): Sample[] =>
    poll.completeUntil === null
      ? []
      : [{ labels: labels(poll), value: Math.max(0, now - poll.completeUntil) / SECOND }],
  );
  return [
    gauge("earshot_failing_polls", "Polls whose last call failed.", [
      { value: polls.filter((poll) => poll.failures > 0).length },
    ]),
    gauge(
      "earshot_query_lag_seconds",
      "Domain time since the moment up to which a query is completely stored.",
      lags,
    ),
    gauge(
      "earshot_query_unjudged_seconds",
      "Domain time that is stored of a query and that no window was judged for.",
      added.map((poll) => ({
        labels: labels(poll),
        value: Math.max(0, (poll.completeUntil ?? poll.tickedUntil) - poll.tickedUntil) / SECOND,
      })),
    ),
  ];
}

/** An account without a limit has no budget. Accounts are labelled by number, because their names hold logins. */
function budgetGauges(budgets: readonly ShownBudget[]): Gauge[] {
  const limited = budgets.flatMap((budget, index) =>
    budget.limit === null ? [] : [{ ...budget, limit: budget.limit, labels: { account: String(index) } }],
  );
  return [
    gauge(
      "earshot_budget_calls",
      "Calls that the account allows in its rolling window.",
      limited.map(({ labels, limit }) => ({ labels, value: limit })),
    ),
    gauge(
      "earshot_budget_calls_used",
      "Calls in the window that ends now, by us and by others.",
      limited.flatMap(({ labels, used, usedByOthers }) => [
        { labels: { ...labels, by: "us" }, value: used - usedByOthers },
        { labels: { ...labels, by: "others" }, value: usedByOthers },
      ]),
    ),
    gauge(
      "earshot_budget_window_seconds",
      "Length of the rolling window.",
      limited.map(({ labels, periodMs }) => ({ labels, value: periodMs / SECOND })),
    ),
    gauge(
      "earshot_budget_closed_seconds",
      "Until a refusal of the source is over.",
      limited.map(({ labels, closedForMs }) => ({ labels, value: closedForMs / SECOND })),
    ),
  ];
}

import type { Command } from "commander";
import { type CoverageReport, formatTime, namesInList, readCoverage, whyOther } from "#monitor";
import { formatDuration } from "../lib/duration.ts";
import type { Instant } from "../lib/instant.ts";
import { loadRulesInUse, timezoneInUse } from "./common/load-rules-in-use.ts";
import { print } from "./common/print.ts";
import { withAlertActions } from "./common/with-alert-actions.ts";

export function defineCoverageCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .option("--json", "everything, as JSON; durations in milliseconds", false)
    .option("--rules <folder>", "rules, instead of those of the configuration")
    .addHelpText(
      "after",
      `
Examples:
  earshot coverage
  earshot coverage --json | jq '.polls[] | select(.failures > 0) | .queryName'`,
    )
    .action(async (options: { readonly json: boolean; readonly rules?: string }) => {
      const rules = await loadRulesInUse(env, options.rules);
      const report = await withAlertActions(env, ({ facts, clock }) =>
        readCoverage(facts, rules, clock.now()),
      );
      const text = options.json
        ? JSON.stringify(report, null, 2)
        : await formatCoverage(report, await timezoneInUse(env));
      print(text);
    });
}

/** Formats the report for people, with times in their time zone. */
export async function formatCoverage(
  { budgets, polls, warmingUp, quirks, stoppedForMs, configuration }: CoverageReport,
  timezone: string,
): Promise<string> {
  const time = (at: Instant) => formatTime(at, timezone);
  const { formatTable } = await import("./common/format-table.ts");
  const nameOf = namesInList(polls);
  const rows = polls.map((poll) => ({
    query: nameOf(poll),
    poll: poll.poll === "added" ? "new" : "changed",
    "last poll": poll.polledAt === null ? "never" : time(poll.polledAt),
    behind: format(poll.lagMs),
    "seen within": format(poll.worstDelayMs),
    missing: poll.gap === 0 ? 0 : `${poll.gap}${formatGap(poll, time)}`,
    state: stateOf(poll, stoppedForMs !== null),
  }));
  const table = polls.length === 0 ? "No query is watched yet." : formatTable(rows);
  const several = new Set([...budgets, ...quirks].map(({ account }) => account)).size > 1;
  const name = (account: string) => (several ? ` (${account})` : "");
  const learned = quirks.map(
    ({ says, ms, account }) =>
      `  ${says}${ms !== null && ms > 0 ? ` (${formatDuration(ms)})` : ""}${name(account)}`,
  );
  return [
    ...(stoppedForMs === null
      ? []
      : [`Stopped: no process has polled for ${formatDuration(stoppedForMs)}. Does earshot start run?`, ""]),
    ...budgets.map((budget) => `${formatBudget(budget)}${name(budget.account)}`),
    table,
    ...(warmingUp.length === 0
      ? []
      : [
          "",
          "Still learning, so that they cannot fire yet",
          ...warmingUp.map((one) => formatWarmUp(one, time)),
        ]),
    ...(learned.length === 0 ? [] : ["", "Learned about the source", ...learned]),
    ...formatProcesses(configuration, time),
  ].join("\n");
}

function stateOf(
  { failures, lastError, clockAheadMs }: CoverageReport["polls"][number],
  isStopped: boolean,
): string {
  if (failures > 0) return lastError ?? "failing";
  if (clockAheadMs !== null) return `the clock was ahead by ${formatDuration(clockAheadMs)}`;
  return isStopped ? "stopped" : "ok";
}

/** The running processes; the reason below each that runs another version than was asked for, or refused one. */
function formatProcesses({ asked, processes }: CoverageReport["configuration"], time: FormatTime): string[] {
  if (processes.length === 0) return [];
  const others = processes.filter(({ differsSince }) => differsSince !== null).length;
  const title =
    others === 0
      ? `Processes: ${processes.length}, with version ${asked} of the configuration`
      : `Processes: ${others} of ${processes.length} without version ${asked} of the configuration, which was asked for`;
  return [
    "",
    title,
    ...processes.flatMap((one) => [
      `  ${one.host}, process ${one.pid} (${one.roles.join(", ")}): version ${one.version} since ${time(one.since)}`,
      ...(one.differsSince === null && one.refused === null ? [] : [`    ${whyOther(one)}`]),
    ]),
  ];
}

function formatWarmUp(
  { queryName, rule, kind, counts, needs, until }: CoverageReport["warmingUp"][number],
  time: FormatTime,
) {
  const about = until === null ? "" : `, until about ${time(until)}`;
  return `  ${queryName}: ${rule} (${kind} of ${counts}) needs ${needs}${about}`;
}

/** When the gap began and when it is polled again. Shown until the missing mentions are found. */
function formatGap({ gapFrom, gapNextAt }: CoverageReport["polls"][number], time: FormatTime): string {
  const since = gapFrom === null ? "" : ` since ${time(gapFrom)}`;
  return gapNextAt === null ? since : `${since}, again ${time(gapNextAt)}`;
}

type FormatTime = (at: Instant) => string;

function formatBudget({
  limit,
  periodMs,
  used,
  left,
  usedByOthers,
  closedForMs,
}: CoverageReport["budgets"][number]) {
  if (limit === null) return "Calls: the account has no rate limit.";
  const others = usedByOthers > 0 ? `, ${usedByOthers} of them by others with the same account` : "";
  const closed = closedForMs > 0 ? `; the source refuses more for ${formatDuration(closedForMs)}` : "";
  return `Calls: ${used} of ${limit} used in the last ${formatDuration(periodMs)}${others}; ${left} left${closed}.`;
}

function format(ms: number | null): string {
  return ms === null ? "" : formatDuration(ms);
}

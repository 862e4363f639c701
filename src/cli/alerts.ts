import { type Command, InvalidArgumentError, Option } from "commander";
import type { OpenAlertActions } from "#admin";
import { type Alert, type AlertAction, type AlertStates, cleanLine, formatTime } from "#monitor";
import { parseDuration } from "../lib/duration.ts";
import { UserError } from "../lib/errors.ts";
import { findAlert } from "./alerts/find-alert.ts";
import { timezoneInUse } from "./common/load-rules-in-use.ts";
import { printOutcome, printRows } from "./common/print-rows.ts";
import { shellActor, withAlertActions } from "./common/with-alert-actions.ts";

/** `earshot alerts`: lists alerts, and acknowledges, assigns or resolves them. */
export function defineAlertsCommand(command: Command, env: NodeJS.ProcessEnv): void {
  const group = command.addHelpText("after", HELP);
  addList(group, env);
  addPrecision(group, env);
  addAction(group, env, "ack", "Acknowledges an alert: no reminders, no escalation.", () => ({
    do: "acknowledge",
  }));
  addAction(
    group,
    env,
    "resolve",
    "Resolves an alert. It stays resolved while its cause goes on without a break.",
    () => ({ do: "resolve" }),
  );
  addAction(
    group,
    env,
    "not-relevant",
    "Marks an alert as not relevant; this counts against its rule.",
    () => ({ do: "not-relevant" }),
  );
  group
    .command("assign")
    .description("Assigns an alert to somebody.")
    .argument("<alert>", "id, the first letters of it, or its address")
    .argument("<name>", "the assignee")
    .option("--by <name>", "who does it (default: your name on this machine)")
    .option("--json", "answer as JSON", false)
    .action((id: string, to: string, options: ActionOptions) =>
      perform(env, id, { do: "assign", to: cleanLine(to).slice(0, 80) }, options),
    );
}

interface ActionOptions {
  readonly by?: string;
  readonly json: boolean;
}

function addAction(
  group: Command,
  env: NodeJS.ProcessEnv,
  name: string,
  description: string,
  action: () => AlertAction,
): void {
  group
    .command(name)
    .description(description)
    .argument("<alert>", "id, the first letters of it, or its address")
    .option("--by <name>", "who does it (default: your name on this machine)")
    .option("--json", "answer as JSON", false)
    .action((id: string, options: ActionOptions) => perform(env, id, action(), options));
}

async function perform(
  env: NodeJS.ProcessEnv,
  text: string,
  action: AlertAction,
  { by, json }: ActionOptions,
): Promise<void> {
  await withAlertActions(env, async ({ actions, stores }) => {
    const alert = await findAlert(stores, text);
    const acted = await actions.act(alert.id, action, shellActor(by));
    if (acted === null) throw new UserError(`there is no alert "${text}"`);
    const name = `${alert.queryName}, ${alert.rule}`;
    if (acted.outcome === "Refused") throw new UserError(`${name}: ${acted.because}`);
    printOutcome(
      { id: alert.id, state: acted.alert.state, ...acted.alert.handling },
      `${name}: ${acted.alert.state} (${acted.event.detail})`,
      { json },
    );
  });
}

function addList(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("list", { isDefault: true })
    .description("Shows alerts, newest first.")
    .addOption(
      new Option("--states <which>", "which of them").choices(["open", "resolved", "all"]).default("open"),
    )
    .option("--limit <number>", "how many at most", toCount, 50)
    .option("--json", "answer as JSON", false)
    .action((options: { states: AlertStates; limit: number; json: boolean }) =>
      withAlertActions(env, async ({ facts, stores }) => {
        const { alerts } = await facts.alerts(options.states, null, options.limit);
        const timezone = await timezoneInUse(env);
        const rows = options.json
          ? alerts.map((alert) => ({ ...alert }))
          : await rowsOf(alerts, stores, timezone);
        await printRows(rows, { json: options.json, none: NONE[options.states] });
      }),
    );
}

const NONE: Readonly<Record<AlertStates, string>> = {
  open: "No alert is open.",
  resolved: "No alert is resolved.",
  all: "There is no alert.",
};

function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError("Expected a number of 1 or more.");
}

async function rowsOf(
  alerts: readonly Alert[],
  stores: Pick<OpenAlertActions["stores"], "alerts">,
  timezone: string,
) {
  const short = await shortIds(
    alerts.map(({ id }) => id),
    stores.alerts.idsBeginning,
  );
  return alerts.map((alert) => rowOf(alert, short.get(alert.id) ?? alert.id, timezone));
}

function rowOf(alert: Alert, id: string, timezone: string) {
  return {
    id,
    severity: alert.severity,
    state: alert.state,
    query: alert.queryName,
    rule: alert.rule,
    since: formatTime(alert.openedAt, timezone),
    mentions: alert.mentions,
    who: alert.handling?.assignee ?? alert.handling?.acknowledgedBy ?? "",
    because: alert.because,
  };
}

function addPrecision(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("precision")
    .description("How often each rule fired, and how many of its alerts people called relevant or not.")
    .option("--last <duration>", "how far back to count", "30d")
    .option("--json", "answer as JSON", false)
    .action((options: { last: string; json: boolean }) =>
      withAlertActions(env, async ({ actions, clock }) => {
        const lastMs = parseDuration(options.last);
        if (lastMs === undefined) throw new UserError(`"${options.last}" is no duration such as 30d`);
        const rules = await actions.precision(clock.now() - lastMs);
        const rows = rules.map((one) => ({ ...one, precision: precisionOf(one) }));
        await printRows(rows, { json: options.json, none: "No alert has fired." });
      }),
    );
}

function precisionOf({ relevant, notRelevant }: { relevant: number; notRelevant: number }): string {
  const judged = relevant + notRelevant;
  return judged === 0 ? "no feedback" : `${Math.round((100 * relevant) / judged)}% of ${judged}`;
}

const HELP = `
Examples:
  earshot alerts
  earshot alerts list --states resolved --limit 10
  earshot alerts ack 0199b2c4-7d1a
  earshot alerts assign 0199b2c4-7d1a Ann
  earshot alerts resolve 0199b2c4-7d1a
  earshot alerts not-relevant https://earshot.brand.example/alerts/0199b2c4-7d1a-7000-8000-000000000000
  earshot alerts precision --last 90d

Each action is written to the alert's history with your name; a running Earshot applies it within a second.`;

/** Alerts of the same millisecond share half of their id and more. */
const LEAST = 23;

/**
 * The first characters of each id that no other id has, in a list. `alike` finds all stored ids that begin like one of
 * these: an id is typed to act on an alert, which may be any stored one.
 */
async function shortIds(
  ids: readonly string[],
  alike: (prefixes: readonly string[]) => Promise<readonly string[]>,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const prefixes = [...new Set(ids.map((id) => id.slice(0, LEAST)))];
  const known = [...new Set([...ids, ...(await alike(prefixes))])].sort();
  return new Map(
    known.map((id, index) => {
      const shared = Math.max(sharedStart(id, known[index - 1]), sharedStart(id, known[index + 1]));
      return [id, id.slice(0, Math.max(LEAST, shared + 1))];
    }),
  );
}

function sharedStart(id: string, other = ""): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}

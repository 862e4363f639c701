import type { Command } from "commander";
import type { OpenAlertActions } from "#admin";
import { asOne, formatTime, type Incident, queryNamesOf, type WholeIncident, wordsOf } from "#monitor";
import { UserError } from "../lib/errors.ts";
import { findAlert } from "./alerts/find-alert.ts";
import { timezoneInUse } from "./common/load-rules-in-use.ts";
import { printOutcome, printRows } from "./common/print-rows.ts";
import { shellActor, withAlertActions } from "./common/with-alert-actions.ts";

/** `earshot incidents`: lists incidents, shows their timelines, and merges and splits them. */
export function defineIncidentsCommand(command: Command, env: NodeJS.ProcessEnv): void {
  const group = command.addHelpText("after", HELP);
  group
    .command("list", { isDefault: true })
    .description("Shows incidents, newest first.")
    .option("--all", "also those that are over", false)
    .option("--json", "answer as JSON", false)
    .action((options: { all: boolean; json: boolean }) =>
      withAlertActions(env, async ({ stores }) => {
        const incidents = await stores.incidents.list(options.all, 100);
        const timezone = await timezoneInUse(env);
        const rows = incidents.map((whole) =>
          options.json ? { ...asOne(whole), parts: whole.parts } : rowOf(whole, timezone),
        );
        await printRows(rows, { json: options.json, none: "No incident is open." });
      }),
    );
  group
    .command("show")
    .description("Shows the timeline of an incident.")
    .argument("<incident>", "id, or the first letters of it")
    .option("--json", "answer as JSON", false)
    .action((text: string, { json }: { json: boolean }) =>
      withAlertActions(env, async ({ stores }) => {
        const incident = await findIncident(stores, text);
        const entries = await stores.incidents.entries(incident.projectId, incident.id);
        const timezone = await timezoneInUse(env);
        const rows = entries.map(({ at, kind, detail, alertId = "" }) =>
          json
            ? { at, kind, detail, alertId }
            : { at: formatTime(at, timezone), what: wordsOf(kind), detail, alert: alertId },
        );
        await printRows(rows, { json, none: "Nothing is known of it." });
      }),
    );
  group
    .command("merge")
    .description("Puts the alerts of one incident into another of the same query.")
    .argument("<incident>", "the one that stays: its id, or the first letters of it")
    .argument("<other>", "the one that ends")
    .option("--by <name>", "who does it (default: your name on this machine)")
    .option("--json", "answer as JSON", false)
    .action((into: string, from: string, { by, json }: ActionOptions) =>
      withAlertActions(env, async ({ actions, stores }) => {
        const [target, source] = [await findIncident(stores, into), await findIncident(stores, from)];
        const moved = await actions.mergeIncidents(target.id, source.id, shellActor(by));
        if (moved === null) throw new UserError(`there is no incident "${from}"`);
        if (moved.outcome === "Refused") throw new UserError(`nothing was merged: ${moved.because}`);
        const { id, alerts } = moved.incident;
        printOutcome({ id, alerts }, `${id} has ${alerts} alerts now`, { json });
      }),
    );
  group
    .command("split")
    .description("Takes an alert out of its incident: it has messages of its own from then on.")
    .argument("<alert>", "id, the first letters of it, or its address")
    .option("--by <name>", "who does it (default: your name on this machine)")
    .option("--json", "answer as JSON", false)
    .action((text: string, { by, json }: ActionOptions) =>
      withAlertActions(env, async ({ actions, stores }) => {
        const alert = await findAlert(stores, text);
        const moved = await actions.splitAlert(alert.id, shellActor(by));
        if (moved === null) throw new UserError("it is in no incident that goes on");
        if (moved.outcome === "Refused") throw new UserError(`nothing was split: ${moved.because}`);
        printOutcome({ id: alert.id }, `${alert.queryName}, ${alert.rule} stands alone now`, { json });
      }),
    );
}

interface ActionOptions {
  readonly by?: string;
  readonly json: boolean;
}

async function findIncident(
  stores: Pick<OpenAlertActions["stores"], "incidents">,
  text: string,
): Promise<Incident> {
  const [found, another] = /^[0-9a-f-]{6,36}$/i.test(text) ? await stores.incidents.findByPrefix(text) : [];
  if (another !== undefined)
    throw new UserError(`more than one incident begins with "${text}"; give the whole id`);
  if (found === undefined)
    throw new UserError(`there is no incident "${text}"`, ["earshot incidents --all shows them"]);
  return found;
}

function rowOf(whole: WholeIncident, timezone: string) {
  const { id, severity, status, openedAt, endedAt, alerts, handling } = asOne(whole);
  return {
    id,
    severity,
    status,
    query: queryNamesOf(whole),
    since: formatTime(openedAt, timezone),
    until: endedAt === null ? "" : formatTime(endedAt, timezone),
    alerts,
    who: handling.assignee ?? handling.acknowledgedBy ?? "",
  };
}

const HELP = `
Examples:
  earshot incidents
  earshot incidents list --all
  earshot incidents show 0199b2c4-7d1a
  earshot incidents merge 0199b2c4-7d1a 0199b2c5-11aa
  earshot incidents split 0199b2c4-8f00

Acknowledging, assigning or resolving one alert of an incident does it for the incident: see earshot alerts.`;

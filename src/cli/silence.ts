import type { Command } from "commander";
import {
  type Alert,
  type AlertMatch,
  alertNames,
  describeMatch,
  formatTime,
  type ListedSilence,
  matchOfAlert,
  refuseUnknownNames,
  SILENCE_LENGTHS,
  type Silence,
} from "#monitor";
import { formatDuration, parseDuration } from "../lib/duration.ts";
import { UserError } from "../lib/errors.ts";
import type { Instant } from "../lib/instant.ts";
import { describeRange, rangeAt } from "../lib/weekly-range.ts";
import { findAlert } from "./alerts/find-alert.ts";
import { readMatch } from "./alerts/read-match.ts";
import { readWindow } from "./alerts/read-window.ts";
import { loadRulesInUse, timezoneInUse } from "./common/load-rules-in-use.ts";
import { printOutcome, printRows } from "./common/print-rows.ts";
import { shellActor, withAlertActions } from "./common/with-alert-actions.ts";

/** `earshot silence`: adds, lists and ends silences, which mute alerts for a time. */
export function defineSilenceCommand(command: Command, env: NodeJS.ProcessEnv): void {
  const group = command.addHelpText("after", HELP);
  addAdd(group, env);
  group
    .command("list", { isDefault: true })
    .description("Shows silences that are in force or to come.")
    .option("--past", "also those that have ended", false)
    .option("--json", "answer as JSON", false)
    .action((options: { past: boolean; json: boolean }) =>
      withAlertActions(env, async ({ actions, clock }) => {
        const silences = await actions.silences(options.past);
        const timezone = await timezoneInUse(env);
        const rows = options.json
          ? silences.map((one) => ({ ...one }))
          : silences.map((one) => rowOf(one, clock.now(), timezone));
        await printRows(rows, { json: options.json, none: "Nothing is silenced." });
      }),
    );
  group
    .command("expire")
    .description("Ends a silence now; alerts that it held and that still fire are sent at once.")
    .argument("<silence>", "id, or the first letters of it")
    .option("--by <name>", "who does it (default: your name on this machine)")
    .option("--json", "answer as JSON", false)
    .action((id: string, options: { by?: string; json: boolean }) =>
      withAlertActions(env, async ({ actions, stores }) => {
        if (id.length < 6)
          throw new UserError(`"${id}" is too short: give the first 6 characters of its id, or more`, [
            "earshot silence list shows them",
          ]);
        const found = /^[0-9a-f-]{6,36}$/i.test(id) ? await stores.silences.findByPrefix(id) : [];
        const [silence] = found;
        if (silence === undefined || found.length > 1) {
          throw new UserError(`${found.length > 1 ? "more than one" : "no"} silence begins with "${id}"`);
        }
        if (!(await actions.expireSilence(silence.id, shellActor(options.by))))
          throw new UserError("that silence has ended already");
        printOutcome({ id: silence.id, expired: true }, `ended: ${describeMatch(silence.match)}`, options);
      }),
    );
}

interface AddOptions {
  readonly match: readonly string[];
  readonly alert?: string;
  readonly for?: string;
  readonly every: readonly string[];
  readonly comment: string;
  readonly rules?: string;
  readonly by?: string;
  readonly json: boolean;
}

function addAdd(group: Command, env: NodeJS.ProcessEnv): void {
  const collect = (text: string, all: readonly string[]) => [...all, text];
  group
    .command("add")
    .description("Mutes alerts that fit all matchers.")
    .option("--match <matcher>", "query=, rule=, severity=, label=; != to leave out; repeat it", collect, [])
    .option("--alert <alert>", "mute this alert: its rule and group")
    .option(
      "--for <length>",
      `how long: ${SILENCE_LENGTHS.map(formatDuration).join(", ")} or any up to 90d (default: 1h; with --every 7d)`,
    )
    .option(
      "--every <window>",
      "only then, every week: mon-fri 22:00-07:00 Europe/Berlin; repeat it",
      collect,
      [],
    )
    .option("--comment <text>", "why", "")
    .option("--rules <folder>", "rules, instead of those that the configuration names")
    .option("--by <name>", "who does it (default: your name on this machine)")
    .option("--json", "answer as JSON", false)
    .action((options: AddOptions) =>
      withAlertActions(env, async (command) => {
        const length = options.for ?? (options.every.length > 0 ? "7d" : "1h");
        const lengthMs = parseDuration(length);
        if (lengthMs === undefined) throw new UserError(`"${length}" is no length such as 4h`);
        const alert = options.alert === undefined ? null : await findAlert(command.stores, options.alert);
        if (alert?.resolvedAt != null)
          throw new UserError("that alert is resolved; a silence is for one that is open", [
            "earshot alerts list shows the open ones; --match rule=... silences all alerts of a rule",
          ]);
        const silence = await command.actions.addSilence({
          match: await matchOf(alert, options, env),
          by: shellActor(options.by),
          comment:
            options.comment === "" && alert !== null ? `${alert.queryName}, ${alert.rule}` : options.comment,
          lengthMs,
          windows: options.every.map(readWindow),
        });
        const [{ mutes } = { mutes: describeMatch(silence.match) }] = (
          await command.actions.silences(false)
        ).filter(({ id }) => id === silence.id);
        printOutcome(
          silence,
          `silenced until ${formatTime(silence.endsAt, await timezoneInUse(env))}${onlyIn(silence)}: ${mutes} (${silence.id})`,
          options,
        );
      }),
    );
}

async function matchOf(
  alert: Alert | null,
  { match, rules }: AddOptions,
  env: NodeJS.ProcessEnv,
): Promise<AlertMatch> {
  if (match.length === 0 && alert === null) {
    throw new UserError("a silence needs --match or --alert", [
      'for every query: --match "query=*" (alerts about Earshot itself go on: --match query=Earshot)',
    ]);
  }
  const matchers = readMatch(match);
  if (match.length > 0) refuseUnknownNames(matchers, alertNames(await loadRulesInUse(env, rules)));
  const guard: AlertMatch = alert === null ? {} : matchOfAlert(alert);
  // A severity given by --match is kept; otherwise alerts that become more severe are still sent.
  const not = { ...guard.not, ...matchers.not };
  return { ...guard, ...matchers, ...(Object.keys(not).length > 0 && { not }) };
}

function rowOf(silence: ListedSilence, now: Instant, timezone: string) {
  const { id, mutes, author, comment, endsAt, windows } = silence;
  return {
    id,
    state: stateOf(silence, now),
    until: formatTime(endsAt, timezone),
    mutes,
    when: windows.map(describeRange),
    author,
    comment,
  };
}

function stateOf({ startsAt, endsAt, windows, endedBy }: Silence, now: Instant): string {
  if (now >= endsAt) return endedBy ? `ended by ${endedBy}` : "ended";
  if (now < startsAt) return "to come";
  return windows.length > 0 && rangeAt(windows, now) === null ? "waits for its hours" : "in force";
}

/** `, only mon, fri 22:00–07:00 Europe/Berlin`; empty if it always mutes. */
function onlyIn({ windows }: Silence): string {
  return windows.length === 0 ? "" : `, only ${windows.map(describeRange).join("; ")}`;
}

const HELP = `
Examples:
  earshot silence add --match rule=volume-* --match query=Acme --for 4h --comment "release day"
  earshot silence add --match severity!=critical --every "mon-fri 22:00-07:00 Europe/Berlin" --for 90d
  earshot silence add --alert 0199b2c4-7d1a --for 1d
  earshot silence list
  earshot silence expire 0199b2c4`;

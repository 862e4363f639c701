import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Command } from "commander";
import { type Config, loadConfig, readEnvironment, sourcesInReach, timeHere } from "#admin";
import {
  type BacktestReport,
  type Comparison,
  compareSimulations,
  createSimulation,
  type OpenBacktest,
  offlineConfig,
  openBacktest,
  renderReport,
  reportOf,
  type SimulationResult,
} from "#lab";
import { createNotifyConfig, type NotifyConfig, type Rule } from "#monitor";
import { systemClock } from "../lib/clock.ts";
import { parseDuration } from "../lib/duration.ts";
import { describeError, UserError } from "../lib/errors.ts";
import { shippedFolder } from "../lib/folders.ts";
import { toIso } from "../lib/instant.ts";
import { stopSignal } from "../lib/stop-signal.ts";
import { type RuleSet, readRuleSet } from "./backtest/read-rule-set.ts";
import { commandLog } from "./common/command-log.ts";
import { print, printError, printJson } from "./common/print.ts";

/** Where mentions come from; `suggest` has the same. */
export interface MentionOptions {
  readonly last?: string;
  readonly file?: string;
  readonly fromApi: boolean;
  readonly config?: string;
}

interface BacktestOptions extends MentionOptions {
  readonly rule?: readonly string[];
  readonly rules?: string;
  readonly against?: string;
  readonly html?: string;
  readonly json: boolean;
}

/** The options of `mentionsFor`. */
export function addMentionOptions(command: Command): Command {
  return command
    .option("--last <duration>", "how far back: 14d, 30d, 8w (default: 30d; of a file, all of it)")
    .option(
      "--file <file>",
      "mentions of a file instead of stored ones: .jsonl or .csv, as a replay takes them",
    )
    .option("--from-api", "mentions of the Listening API, by calls that nothing else needs", false)
    .option("--config <file>", "configuration (default: earshot.yaml, where there is one)");
}

export function defineBacktestCommand(command: Command, env: NodeJS.ProcessEnv): void {
  addMentionOptions(command)
    .option("--rule <file...>", "only these rule files")
    .option("--rules <folder>", "rules, instead of those of the configuration")
    .option("--against <folder-or-file>", "other rules, taken as the old version: shows what differs")
    .option("--html <file>", "also write a report with charts")
    .option("--json", "everything as one JSON object", false)
    .addHelpText("after", HELP)
    .action((options: BacktestOptions) => backtest(options, env));
}

const HELP = `
Runs rules, routes, quiet hours and throttles over mentions of the past, in memory: nothing is sent or stored. Nobody
acknowledges anything in it, and there are no silences. Mentions from before the range only teach the rules.

Examples:
  earshot backtest --last 30d                                  what would have been sent, by day and rule
  earshot backtest --rule rules/refund-storm.yaml --last 14d   one rule alone
  earshot backtest --rules new-rules --against rules           what differs from the rules in use
  earshot backtest --file tweets.jsonl --html report.html      mentions of a file; charts to look at
  earshot backtest --from-api --last 30d                       mentions that are not stored yet; Ctrl-C, and the same
                                                               command goes on from there
  earshot backtest --json | jq '.receivers[] | {receiver, alertsAWeek}'

Without earshot.yaml the routes and receivers are those of a replay.`;

async function backtest(options: BacktestOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const config = await configOf(options, env);
  const rules = await readRuleSet(options.rule ?? [options.rules ?? config?.rules ?? shippedFolder("rules")]);
  const against = options.against === undefined ? null : await readRuleSet([options.against]);
  // One rule is compared with its other version, not with a folder of others.
  const others = options.rule === undefined ? against : against && onlyNamed(against, rules);
  const opened = await mentionsFor(options, config, env);
  try {
    const notifyConfig = await notifyConfigOf(config);
    const sets = others === null ? [rules.rules] : [rules.rules, others.rules];
    const [after, before] = await simulateAll(opened, sets, notifyConfig);
    if (after === undefined) return;
    const span = { from: opened.from, to: opened.to, timezone: config?.timezone ?? "UTC" };
    const report = reportOf(after, span, opened.alerts);
    const comparison =
      before === undefined || others === null
        ? null
        : compareSimulations(before, after, { before: others.contents, after: rules.contents });
    if (options.html !== undefined) await writeReport(options.html, report, comparison);
    if (options.json) printJson({ ...report, ...(comparison !== null && { comparison }) });
    else await printReport(report, comparison);
  } finally {
    await opened.close();
  }
}

export async function configOf({ config }: MentionOptions, env: NodeJS.ProcessEnv): Promise<Config | null> {
  const file = config ?? readEnvironment(env).configFile;
  return config !== undefined || existsSync(file) ? loadConfig(file, env) : null;
}

/** Opens the mentions that the options name; prints what is left out of a file. */
export async function mentionsFor(
  { last, file, fromApi }: MentionOptions,
  config: Config | null,
  env: NodeJS.ProcessEnv,
): Promise<OpenBacktest> {
  if (file !== undefined && fromApi) throw new UserError("--file and --from-api name two sources: take one");
  const lastMs = last === undefined ? null : (parseDuration(last) ?? 0);
  if (lastMs !== null && lastMs <= 0)
    throw new UserError(`--last ${last}: expected a duration such as 14d, 30d or 8w`);
  const environment = readEnvironment(env);
  const progress = createProgress(process.stderr);
  const signal = stopSignal(() => {
    progress("");
    if (fromApi) printError("Stopping; the same command goes on from here.");
  });
  const opened = await openBacktest({
    file: file ?? null,
    fromApi,
    lastMs,
    sources: config === null ? [] : await sourcesInReach(config.sources, environment.home),
    environment,
    // A demo has a time of its own.
    clock: config === null ? await timeHere(environment.home) : systemClock,
    log: commandLog(env),
    onProgress: progress,
    signal,
  });
  progress("");
  for (const note of opened.notes) printError(note);
  return { ...opened, mentions: watched(opened, progress, signal) };
}

/** Lets a terminal and Ctrl-C have their turn, and ends at the end of the range. */
async function* watched(
  { mentions, from, to }: OpenBacktest,
  progress: (text: string) => void,
  signal: AbortSignal,
) {
  let count = 0;
  for await (const mention of mentions) {
    if (mention.addedAt > to) continue;
    if (++count % SHOWN_EVERY === 0) {
      const day = toIso(mention.addedAt).slice(0, 10);
      progress(
        `${mention.addedAt < from ? "learning" : "judging"} ${day}: ${count.toLocaleString("en")} mentions`,
      );
      await nextTurn();
      signal.throwIfAborted();
    }
    yield mention;
  }
  progress("");
}

const SHOWN_EVERY = 5_000;

/** The same mentions through several sets of rules, read once. */
export async function simulateAll(
  { queries, mentions, from, until }: OpenBacktest,
  sets: readonly (readonly Rule[])[],
  notifyConfig: NotifyConfig,
): Promise<readonly SimulationResult[]> {
  const simulations = sets.map((rules) => createSimulation({ rules, queries, notifyConfig, from }));
  for await (const mention of mentions) for (const simulation of simulations) await simulation.take(mention);
  return Promise.all(simulations.map((simulation) => simulation.finish(until)));
}

/** Routes and receivers of the configuration, or else those of a replay. */
async function notifyConfigOf(config: Config | null): Promise<NotifyConfig> {
  if (config !== null) return createNotifyConfig(config);
  const folders = { rules: shippedFolder("rules"), templates: shippedFolder("templates") };
  return createNotifyConfig(await offlineConfig(folders));
}

function onlyNamed(set: RuleSet, { rules }: RuleSet): RuleSet {
  const names = new Set(rules.map(({ name }) => name));
  return { ...set, rules: set.rules.filter(({ name }) => names.has(name)) };
}

async function printReport(report: BacktestReport, comparison: Comparison | null): Promise<void> {
  const { formatBacktest, formatComparison } = await import("./backtest/format-backtest.ts");
  for (const line of formatBacktest(report)) print(line);
  if (comparison !== null) for (const line of formatComparison(comparison)) print(line);
}

async function writeReport(
  file: string,
  report: BacktestReport,
  comparison: Comparison | null,
): Promise<void> {
  try {
    await writeFile(file, renderReport(report, comparison));
  } catch (error) {
    throw new UserError(`--html ${file} cannot be written: ${describeError(error)}`);
  }
  printError(`The report is in ${file}.`);
}

/** One line of a terminal that is written again and again; an empty text clears it. Nothing in a pipe. */
function createProgress(stream: NodeJS.WriteStream): (text: string) => void {
  return stream.isTTY ? (text) => void stream.write(`\r\u001b[K${text}`) : () => {};
}

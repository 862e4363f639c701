import { setTimeout as delay } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { BRANDS, type Crisis, createStream, findProject, type Stream } from "#listening-api";
import { systemClock } from "../../lib/clock.ts";
import { UserError } from "../../lib/errors.ts";
import { DAY, floorTo, HOUR, type Instant, toIso, utcMinute } from "../../lib/instant.ts";
import { aborted, stopSignal } from "../../lib/stop-signal.ts";
import { print, printError, printJson } from "../common/print.ts";
import { toDurationMs, toMoment } from "./flags.ts";
import { withTables } from "./with-tables.ts";

interface SimulateOptions {
  readonly project?: string;
  readonly client?: string;
  readonly past: number;
  readonly seed: string;
  readonly crisis: readonly Crisis[];
  readonly live: boolean;
  readonly json: boolean;
}

export function addLocalSimulate(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("simulate")
    .description(
      "Writes invented mentions into a project: past ones, and with --live new ones as time goes by.",
    )
    .option("--project <project>", "name or id (default: the only one)")
    .option("--client <client>", "where names of projects repeat")
    .addOption(
      new Option("--past <duration>", "how far back it begins")
        .argParser(toDurationMs)
        .default(7 * DAY, "7d"),
    )
    .option("--seed <word>", "the same word gives the same mentions", "simulated")
    .option("--crisis <brand@moment>", "a storm over a brand; repeat it", collectCrises, [])
    .option("--live", "goes on until Ctrl-C", false)
    .option("--json", "answer as JSON", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot local-api simulate --project Brands --past 30d
  earshot local-api simulate --crisis Parcelwing@${"2026-03-03T14:00:00Z"} --past 2d
  earshot local-api simulate --live                   while a server runs, mentions arrive as time goes by

Brands: ${BRANDS.map(({ name, perHour }) => `${name} (about ${perHour} mentions an hour)`).join(", ")}.
Each becomes a query of the project. An hour that was written stays as it is, also when a crisis is named later.`,
    )
    .action((options: SimulateOptions) => simulate(options, env));
}

function collectCrises(text: string, before: readonly Crisis[]): readonly Crisis[] {
  const [, word = "", moment = ""] = /^([^@]+)@(.+)$/.exec(text) ?? [];
  const brand = BRANDS.find(({ name }) => name.toLowerCase() === word.toLowerCase());
  if (brand === undefined)
    throw new InvalidArgumentError(
      `Expected BRAND@MOMENT with a brand of ${BRANDS.map(({ name }) => name).join(", ")}; got "${text}".`,
    );
  return [...before, { brand: brand.name, at: toMoment(moment) }];
}

/** The stream is written this far ahead; the API shows a mention only from its time on. */
const AHEAD_MS = HOUR;

async function simulate(options: SimulateOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const signal = stopSignal(() => printError("\nStopping; the same command goes on from here."));
  const written = await withTables(env, async ({ db, pool }) => {
    const project = await findProject(db, options);
    const now = systemClock.now();
    const startAt = floorTo(now - options.past, HOUR);
    const tooEarly = options.crisis.find(({ at }) => at < startAt);
    if (tooEarly !== undefined)
      throw new UserError(`The crisis at ${tooEarly.brand} begins before the past does.`, [
        `--past has to reach back to ${toIso(tooEarly.at)}`,
      ]);
    const { seed, crisis: crises } = options;
    const stream = createStream({ pool, projectId: project.id, seed, startAt, crises });
    let hours = await fill(stream, startAt, now, signal);
    if (options.live && !signal.aborted) printError("Writing mentions until Ctrl-C.");
    while (options.live && !signal.aborted) {
      hours += await stream.fillUntil(systemClock.now() + AHEAD_MS);
      await Promise.race([aborted(signal), delay(60_000, undefined, { ref: false })]);
    }
    return { project: project.name, hours, queries: Object.fromEntries(await stream.queries()) };
  });
  if (options.json) printJson(written);
  else print(`${written.hours} hours written into ${JSON.stringify(written.project)}.`);
}

/** Writes in steps, so that Ctrl-C takes effect soon. */
async function fill(stream: Stream, from: Instant, to: Instant, signal: AbortSignal): Promise<number> {
  const printResult = (hour: Instant): void => {
    if (process.stderr.isTTY)
      process.stderr.write(`\r\u001b[K${utcMinute(hour)}${hour + HOUR >= to ? "\r\u001b[K" : ""}`);
  };
  let hours = 0;
  for (let until = from + DAY; !signal.aborted; until += DAY) {
    hours += await stream.fillUntil(Math.min(until, to), printResult);
    if (until >= to) break;
  }
  return hours;
}

import { existsSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { readEnvironment } from "#admin";
import { CONSOLE_FLAG } from "#console";
import type { ReplaySpeed } from "#lab";
import { ROLES, type Role } from "#monitor";
import { closestWord } from "../lib/closest-word.ts";
import { didYouMean, UserError } from "../lib/errors.ts";
import { createLog } from "../lib/log.ts";
import { stopSignal } from "../lib/stop-signal.ts";
import { toPort } from "./common/to-port.ts";
import type { StartOptions } from "./start-options.ts";

export function defineStartCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .option("--config <file>", "configuration (default: earshot.yaml, where there is one)")
    .option(
      "--roles <list>",
      `only these roles, all in this process: ${[...ROLES, "web"].join(", ")} (default: all)`,
      toRoles,
    )
    .option(
      "--port <number>",
      "port of the console (default 8080, or the next free one in demo and replay)",
      toPort,
    )
    .option("--no-page", "do not serve the console")
    .option("--one-process", "the console in the same process, for a small machine (default: its own)", false)
    .addOption(new Option(CONSOLE_FLAG).hideHelp())
    .option(
      "--replay <file>",
      "replay past mentions: JSON Lines with id, brand, author, text, date, sentiment, …",
    )
    .option(
      "--speed <times>",
      "of a replay: how many times faster than the recorded times, or max",
      toSpeed,
      "max",
    )
    .option("--rules <folder>", "of a replay: your rules, instead of the shipped ones")
    .option("--exit-when-done", "exit when the replay is finished", false)
    .option("--json", "with --exit-when-done: print the outcome as one JSON object on standard output", false)
    .addHelpText("after", HELP)
    // This command runs if none is named, so a misspelt command comes here.
    .allowExcessArguments()
    .action(async (options: StartOptions & { readonly asConsole?: true }, started: Command) => {
      const [word] = started.args;
      if (word !== undefined) throw unknownWord(word, command.parent?.commands ?? []);
      const environment = readEnvironment(env);
      if (options.asConsole === true) {
        const { runConsole } = await import("./run-console.ts");
        return runConsole(options, environment, env);
      }
      const isQuiet =
        options.replay !== undefined || (options.config === undefined && !existsSync(environment.configFile));
      const log = createLog({ level: environment.logLevel ?? (isQuiet ? "warn" : "info") });
      // A signal that comes while the next modules are read ends it in order, too.
      stopSignal();
      // Each reads half of Earshot, which the help and the others do without.
      if (options.replay !== undefined) {
        const { runReplay } = await import("./run-replay.ts");
        return runReplay(options.replay, options, environment, env, log);
      }
      const isSpeedGiven = started.getOptionValueSource("speed") === "cli";
      if (options.exitWhenDone || options.json || isSpeedGiven || options.rules !== undefined)
        throw new UserError("--speed, --exit-when-done, --json and --rules go with --replay FILE");
      const file = options.config ?? environment.configFile;
      if (options.config !== undefined || existsSync(file)) {
        const { runMonitor } = await import("./run-monitor.ts");
        return runMonitor(file, options, environment, env, log);
      }
      if (options.roles !== undefined)
        throw new UserError(`--roles goes with a configuration, and there is no ${file}`, [
          "the demo, which runs without one, does everything in one process",
        ]);
      const { runDemo } = await import("./run-demo.ts");
      return runDemo(options, environment, env, log);
    });
}

const HELP = `
Examples:
  earshot start                                     the monitor of earshot.yaml, or the demo if there is no such file
  earshot start --config staging.yaml --port 8090
  earshot start --roles poll,tick                   one of several processes that share the work
  earshot start --one-process                       for a small container
  earshot start --replay mentions.jsonl             which alerts would my rules have opened?
  earshot start --replay mentions.jsonl --rules my-rules --exit-when-done --json

It starts a second process for the console, so that readers hardly slow the work down; with --roles or --one-process
everything is in this one. Ctrl-C stops both: work in progress is finished first. Every process that you start yourself
needs the same DATABASE_URL and REDIS_URL.`;

/** The error for an unknown command, with the closest known one; or for an argument after `start`. */
function unknownWord(word: string, known: readonly Command[]): UserError {
  const commands = known.map((command) => command.name());
  if (commands.length === 1) return new UserError(`start takes flags only, got "${word}"`);
  const meant = closestWord(word, commands);
  return new UserError(`there is no command "${word}"${didYouMean(meant)}`, ["earshot --help lists them"]);
}

function toRoles(text: string): readonly (Role | "web")[] {
  const known: readonly string[] = [...ROLES, "web"];
  const roles = text.split(",").map((role) => role.trim());
  const unknown = roles.find((role) => !known.includes(role));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no role "${unknown}"; known are ${known.join(", ")}.`);
  return roles as (Role | "web")[];
}

function toSpeed(text: string): ReplaySpeed {
  const speed = Number(text);
  if (text === "max") return "max";
  if (Number.isFinite(speed) && speed > 0) return speed;
  throw new InvalidArgumentError(`Expected a number such as 60, or max; got "${text}".`);
}

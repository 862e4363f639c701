import { type Command, Option } from "commander";
import { openShellBudget, readEnvironment } from "#admin";
import { API_CALLS, type ApiCall, accountOf } from "#monitor";
import { systemClock } from "../lib/clock.ts";
import { closestWord } from "../lib/closest-word.ts";
import { didYouMean, UserError } from "../lib/errors.ts";
import { MINUTE } from "../lib/instant.ts";
import { stopSignal } from "../lib/stop-signal.ts";
import { findAccess } from "./api/access.ts";
import type { ApiOptions } from "./api/run-api.ts";
import { commandLog } from "./common/command-log.ts";

/** `earshot api CALL`: one call of the Listening API from the shell. Each call of the client is a command. */
export function defineApiCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .allowExcessArguments()
    .addHelpText("after", HELP)
    .action(() => {
      const [word] = command.args;
      if (word === undefined) return command.outputHelp();
      const names = API_CALLS.map(({ name }) => name);
      throw new UserError(`there is no call "${word}"${didYouMean(closestWord(word, names))}`, [
        "earshot api lists them all",
      ]);
    });
  for (const call of API_CALLS)
    withFlags(command.command(call.name), call)
      .aliases(call.aliases ?? [])
      .helpGroup(call.group)
      .description(`${call.summary}${call.isExtension ? " *" : ""}`)
      .addHelpText("after", () => parametersAndExamples(call))
      .action((options: ApiOptions) => askOnce(call, options, env));
}

function withFlags(command: Command, call: ApiCall): Command {
  if (call.needs !== "account")
    command.option("--project <name|id>", "the project, where the account has several");
  if (call.needs === "mentions")
    command
      .option("--query <name|id>", "a query; may be repeated; without any: all of the project", collect, [])
      .option("--query-group <name|id>", "a group of queries; may be repeated", collect, [])
      .option("--last <duration>", "the range up to now: 90m, 24h, 30d (default: 7d)");
  return command
    .option("--param <name=value>", "any parameter of the call; may be repeated", collect, [])
    .option("--all", "all pages, each record as a line of JSON", false)
    .option("--json", "the whole answer as JSON", false)
    .option("--csv", "the records as CSV; with --all those of all pages", false)
    .option("--quiet", "nothing on standard error but failures", false)
    .option("--config <file>", "configuration to take the account from (default: earshot.yaml)")
    .option("--feeds", "the Listening API of your feeds, where earshot.yaml names an account, too", false)
    .option("--base-url <url>", "address of the API")
    .option("--username <name>", "login name")
    .option("--password-file <file>", "file that holds the password")
    .option("--client-id <id>", "public client identifier of the API")
    .option("--platform-client-id <id>", "client to log in for, where the login belongs to several")
    .addOption(
      new Option("--token-in <place>", "how the token is sent")
        .choices(["header", "parameter"])
        .default("header"),
    )
    .option("--json-suffix", "the older form of the addresses, which end in .json", false);
}

async function askOnce(call: ApiCall, options: ApiOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const signal = stopSignal();
  const access = await findAccess(options, env, systemClock);
  const budget = await openShellBudget(readEnvironment(env), {
    account: accountOf({ baseUrl: access.baseUrl, ...access.credentials }),
    timeoutMs: access.timeoutMs ?? MINUTE,
    log: commandLog(env),
  });
  try {
    const { runApi } = await import("./api/run-api.ts");
    await runApi(call, options, access, signal, budget?.gate);
  } finally {
    await budget?.close();
  }
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function parametersAndExamples({ name, parameters = [], examples, needs }: ApiCall): string {
  const rows = [...parameters, ...(needs === "mentions" ? FILTERS : [])];
  const lines = rows.map(([name, meaning]) => `  ${name.padEnd(24)}${meaning}`);
  const words = examples ?? [{ account: "", project: "--project Brands", mentions: "--query Acme" }[needs]];
  const shown = words.map((one) => `  earshot api ${name} ${one}`.trimEnd());
  return `${lines.length === 0 ? "" : `\nParameters (--param NAME=VALUE):\n${lines.join("\n")}\n`}
Examples:
${shown.join("\n")}`;
}

const FILTERS = [
  ["startDate, endDate", "a range, as 2026-01-31 or 2026-01-31T08:00:00.000+0000"],
  ["sentiment", "positive, neutral or negative"],
  ["pageType", "twitter, news, forum, blog, …"],
  ["language, location, …", "any other filter of the API, by its name there"],
  ["category, tag", "ids; see earshot api categories and tags"],
  ["xsentiment, xtag, …", "an x in front excludes"],
  ["sinceAdded", "only what entered the query after this moment"],
  ["search", "a Boolean string inside the results"],
] as const;

const HELP = `
* not in the specification of the API; the live service and Earshot's local one have it.
earshot api CALL --help shows the flags, parameters and examples of a call.

Where the account comes from, first match first:
  1. --base-url, --username, --password-file, --client-id; what is missing of them comes from
     EARSHOT_API_URL, EARSHOT_API_USERNAME, EARSHOT_API_PASSWORD (or …_PASSWORD_FILE), EARSHOT_API_CLIENT_ID
  2. --config FILE, or earshot.yaml: its part "source"
  3. the demo (earshot start) or local API (earshot local-api start) that runs on this machine

What is printed: a table; with --json the whole answer; with --csv a spreadsheet; with --all every record as a line of
JSON, page after page. Everything else goes to standard error, so that standard output can be piped. Ids beyond 2^53
are text.

Examples (in a clone: npm run earshot -- instead of earshot):
  earshot api projects                              what is there?
  earshot api queries --project Brands
  earshot api mentions --query Acme --last 24h --param sentiment=negative
  earshot api mentions --query Acme --all > week.jsonl
  earshot api chart --query Acme --param dim2=sentiment --csv > chart.csv
  earshot api me --base-url http://127.0.0.1:9100 --username ada --password-file pw.txt

Exit codes: 0 done, 1 the source could not answer (network, 5xx, an answer that makes no sense): try again,
2 an error in your input (call, flag, parameter, configuration, no such thing), 3 login refused,
4 rate limit spent (standard error says how long to wait), 130 interrupted.`;

import { type Command, Option } from "commander";
import { API_CALLS, accountOf, findCall, openShellBudget, readEnvironment } from "#monitor";
import { systemClock } from "../lib/clock.ts";
import { closestWord } from "../lib/closest-word.ts";
import { didYouMean, UserError } from "../lib/errors.ts";
import { MINUTE } from "../lib/instant.ts";
import { stopSignal } from "../lib/stop-signal.ts";
import { findAccess } from "./api/access.ts";
import { openApiCache } from "./api/api-cache.ts";
import { completionScript, describeCall, HELP, listCalls } from "./api/help.ts";
import type { ApiOptions } from "./api/options.ts";
import { commandLog } from "./command-log.ts";

/** `earshot api CALL`: one call of the Listening API from the shell. */
export function defineApiCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .argument("[call]", "name of a call, such as projects or mentions")
    .option("--project <name|id>", "the project, where the account has several")
    .option("--query <name|id>", "a query; may be repeated", collect, [])
    .option("--query-group <name|id>", "a group of queries; may be repeated", collect, [])
    .option("--last <duration>", "the range up to now: 90m, 24h, 30d (default: 7d)")
    .option("--param <name=value>", "any parameter of the call; may be repeated", collect, [])
    .option("--all", "all pages, each record as a line of JSON", false)
    .option("--json", "the whole answer as JSON", false)
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
    .option("--json-suffix", "the older form of the addresses, which end in .json", false)
    .option("--completion", "print a script that completes calls, flags and parameters in bash", false)
    // Our own help: `earshot api CALL --help` explains the call.
    .helpOption(false)
    .option("-h, --help", "this help, or that of a call")
    .addHelpText("after", HELP)
    .action(
      async (
        word: string | undefined,
        options: ApiOptions & { readonly help?: boolean; readonly completion: boolean },
      ) => {
        if (options.completion) {
          process.stdout.write(completionScript(command.options.flatMap(({ long }) => long ?? [])));
          return;
        }
        if (word === undefined) {
          process.stdout.write(options.help === true ? "" : listCalls());
          if (options.help === true) command.outputHelp();
          return;
        }
        const call = findCall(word);
        if (call === undefined) throw unknownCall(word);
        if (options.help === true) {
          process.stdout.write(describeCall(call));
          return;
        }
        const signal = stopSignal();
        const access = await findAccess(options, env, systemClock);
        const environment = readEnvironment(env);
        const budget = await openShellBudget(environment, {
          account: accountOf({ baseUrl: access.baseUrl, ...access.credentials }),
          timeoutMs: access.timeoutMs ?? MINUTE,
          log: commandLog(env),
        });
        try {
          const terminal = { stdout: process.stdout, stderr: process.stderr, signal };
          const { runApi } = await import("./api/run-api.ts");
          const cache = openApiCache(environment.home, access, systemClock);
          await runApi(call, options, access, terminal, cache, budget?.gate);
        } finally {
          await budget?.close();
        }
      },
    );
}

function unknownCall(word: string): UserError {
  const near = closestWord(
    word,
    API_CALLS.map((call) => call.name),
  );
  return new UserError(`there is no call "${word}"${didYouMean(near)}`, ["earshot api lists them all"]);
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

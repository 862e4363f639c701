import { Command, Help } from "commander";
import { showActing } from "./common/print.ts";

type DefineCommand = (command: Command, env: NodeJS.ProcessEnv) => void;

interface Entry {
  readonly name: string;
  /** Shown after the name in the help. The real flags are known only after `load`, which imports half of Earshot. */
  readonly usage: string;
  readonly description: string;
  load(): Promise<DefineCommand>;
}

/** Every command, in the order of the help. */
const COMMANDS: readonly Entry[] = [
  {
    name: "start",
    usage: "[options]",
    description:
      "Starts the monitor with earshot.yaml; without that file, starts a demo on invented mentions.",
    load: async () => (await import("./start.ts")).defineStartCommand,
  },
  {
    name: "listen",
    usage: "[options] [brand] [spellings...]",
    description: "Writes a first earshot.yaml and rules for a brand on public feeds, and starts Earshot.",
    load: async () => (await import("./listen.ts")).defineListenCommand,
  },
  {
    name: "check",
    usage: "[options]",
    description: "Checks the configuration, every rule and every template, and lists all faults at once.",
    load: async () => (await import("./check.ts")).defineCheckCommand,
  },
  {
    name: "test",
    usage: "[options] [files...]",
    description: "Runs rule tests: stories in time, with what must and must not be sent.",
    load: async () => (await import("./test.ts")).defineTestCommand,
  },
  {
    name: "rules",
    usage: "",
    description: "Lists the rules, and writes a new one with comments from a choice.",
    load: async () => (await import("./rules.ts")).defineRulesCommand,
  },
  {
    name: "schemas",
    usage: "[options]",
    description: "Writes the JSON Schemas of earshot.yaml and rules, for completion in an editor.",
    load: async () => (await import("./schemas.ts")).defineSchemasCommand,
  },
  {
    name: "reload",
    usage: "[options]",
    description: "Makes the running monitor load the current configuration, rules and templates.",
    load: async () => (await import("./reload.ts")).defineReloadCommand,
  },
  {
    name: "users",
    usage: "",
    description: "Lists, adds and ends the users of the console, and gives them roles.",
    load: async () => (await import("./users.ts")).defineUsersCommand,
  },
  {
    name: "tokens",
    usage: "",
    description: "Lists, makes and ends the tokens with which programs use the console.",
    load: async () => (await import("./tokens.ts")).defineTokensCommand,
  },
  {
    name: "alerts",
    usage: "",
    description: "Lists alerts; acknowledges, assigns and resolves them.",
    load: async () => (await import("./alerts.ts")).defineAlertsCommand,
  },
  {
    name: "incidents",
    usage: "",
    description: "Lists incidents with their timelines, and merges and splits them.",
    load: async () => (await import("./incidents.ts")).defineIncidentsCommand,
  },
  {
    name: "silence",
    usage: "",
    description:
      "Mutes alerts for a time. An alert that still fires afterwards is sent then; the end of a sent alert is always sent.",
    load: async () => (await import("./silence.ts")).defineSilenceCommand,
  },
  {
    name: "why",
    usage: "[options] [alert-or-mention]",
    description:
      "Shows why an alert or a mention was sent or not: rules, numbers, receivers; also why a mention is not stored.",
    load: async () => (await import("./why.ts")).defineWhyCommand,
  },
  {
    name: "backtest",
    usage: "[options]",
    description: "Shows what rules would have sent over past mentions, and what differs from other rules.",
    load: async () => (await import("./backtest.ts")).defineBacktestCommand,
  },
  {
    name: "suggest",
    usage: "[options] <rule>",
    description: "Tries other thresholds of a rule on past mentions, and shows how often each would alert.",
    load: async () => (await import("./suggest.ts")).defineSuggestCommand,
  },
  {
    name: "preview",
    usage: "[options] <template>",
    description:
      "Shows a message before anybody gets it: as Slack JSON, HTML, text, and pictures of the email.",
    load: async () => (await import("./preview.ts")).definePreviewCommand,
  },
  {
    name: "send-test",
    usage: "[options] <receiver>",
    description:
      "Sends a real test message to a receiver, and prints the answer and what to do about an error.",
    load: async () => (await import("./send-test.ts")).defineSendTestCommand,
  },
  {
    name: "redeliver",
    usage: "[options] [receiver]",
    description:
      "Lists the messages that a receiver refused for good, and sends them again once the cause is fixed.",
    load: async () => (await import("./redeliver.ts")).defineRedeliverCommand,
  },
  {
    name: "bounce",
    usage: "[options] [file]",
    description:
      "Reads a bounce mail from the return path (bouncesTo) and records which message came back, and why.",
    load: async () => (await import("./bounce.ts")).defineBounceCommand,
  },
  {
    name: "forget",
    usage: "[options] [who]",
    description:
      "Deletes all mentions of an author or an address for good, wherever they are, for a person who asks for it.",
    load: async () => (await import("./forget.ts")).defineForgetCommand,
  },
  {
    name: "coverage",
    usage: "[options]",
    description:
      "Shows how complete the data is: each query's last poll and delay, the calls left, the rules that still warm up.",
    load: async () => (await import("./coverage.ts")).defineCoverageCommand,
  },
  {
    name: "feeds",
    usage: "[options]",
    description:
      "Lists the public feeds of earshot.yaml: last answer, next try, items, why one is silent. Tries one without storing.",
    load: async () => (await import("./feeds.ts")).defineFeedsCommand,
  },
  {
    name: "detect",
    usage: "[options]",
    description: "Reads mention counts (CSV) on standard input and prints one JSON line for each spike.",
    load: async () => (await import("./detect.ts")).defineDetectCommand,
  },
  {
    name: "doctor",
    usage: "[options]",
    description:
      "Checks everything that Earshot needs (login, database, queue, receivers) and says what to do. Sends no message.",
    load: async () => (await import("./doctor.ts")).defineDoctorCommand,
  },
  {
    name: "dead-letters",
    usage: "",
    description: "Lists dead letters (mentions, pages and jobs that always failed) and tries them again.",
    load: async () => (await import("./dead-letters.ts")).defineDeadLettersCommand,
  },
  {
    name: "api",
    usage: "",
    description: "Makes one call of the Listening API; alone, it lists the calls.",
    load: async () => (await import("./api.ts")).defineApiCommand,
  },
  {
    name: "local-api",
    usage: "",
    description: "The Listening API on this machine: serve it, fill it, change it, make it fail.",
    load: async () => (await import("./local-api.ts")).defineLocalApiCommand,
  },
];

/** Runs without a command: `earshot --roles poll` is `earshot start --roles poll`. */
const DEFAULT = "start";

/**
 * Builds the `earshot` program for `argv` (without node and the script). Loads only the command that `argv` names; the
 * others are listed by name. Without `argv` all are loaded.
 */
export async function createProgram(env: NodeJS.ProcessEnv, argv?: readonly string[]): Promise<Command> {
  const program = new Command("earshot")
    .description("Monitors what people say about a brand and alerts the right person in time.")
    .addHelpText("after", HELP)
    .configureHelp({ optionDescription: describeOption, subcommandTerm: nameAndUsage })
    .showHelpAfterError("(see earshot --help)")
    .configureOutput({ outputError: (text, write) => write(showActing(text)) })
    .exitOverride();
  const named = COMMANDS.filter(({ name }) => name === commandIn(argv ?? []));
  for (const entry of named.length > 0 ? named : COMMANDS) {
    const command = program.command(entry.name, { isDefault: entry.name === DEFAULT });
    command.description(entry.description);
    if (argv !== undefined && named.length === 0 && !isDefaultFor(argv, entry)) continue;
    (await entry.load())(command, env);
  }
  return program;
}

function commandIn([first, second]: readonly string[]): string | undefined {
  return first === "help" ? second : first;
}

/** Whether arguments that name no command go to this one: all but a request for help. */
function isDefaultFor([first]: readonly string[], { name }: Entry): boolean {
  return name === DEFAULT && first !== "help" && first !== "--help" && first !== "-h";
}

function nameAndUsage(command: Command): string {
  const entry = COMMANDS.find(({ name }) => name === command.name() && command.parent?.name() === "earshot");
  return entry === undefined ? new Help().subcommandTerm(command) : `${entry.name} ${entry.usage}`.trim();
}

/** Leaves out "(default: false)", which says nothing about a flag. */
function describeOption(option: Parameters<Help["optionDescription"]>[0]): string {
  return new Help().optionDescription(option).replace(" (default: false)", "");
}

const HELP = `
Examples (in a clone: npm run earshot -- instead of earshot):
  earshot start                             with earshot.yaml: monitor; without: a demo that needs nothing
  earshot start --roles poll,tick           only these roles, as one of many processes
  earshot start --replay tweets.jsonl       replay a file of past mentions
  earshot check                             are the configuration, rules and templates valid?
  earshot rules new                         write a rule: a choice, some questions, a file with comments
  earshot schemas                           JSON Schemas: an editor then completes and explains every key
  earshot doctor                            is everything there that Earshot needs?
  earshot coverage                          per query: last poll, how far behind, seen within what time; calls left
  earshot alerts                            what is open; ack, assign, resolve, not-relevant
  earshot silence add --match query=Acme    mute its alerts for an hour
  earshot why ALERT                         which rules saw it, who was notified, what was held and why
  earshot backtest --last 30d               what the rules would have sent; --against compares two versions
  earshot suggest crisis-spike              which threshold would give one alert a week
  earshot preview alert                     a message as files: Slack JSON, HTML, text, pictures
  earshot send-test on-call                 send a real test message to this receiver
  earshot redeliver comms                   send again what it refused for good; without a name: a list
  earshot dead-letters list                 what always failed; replay tries it again
  earshot bounce < message                  record a mail that came back
  earshot forget "@ann" --dry-run           a person's right: how much would be deleted?
  earshot feeds                             public feeds: last answer, matched today, why one is silent
  earshot detect --at-least 20 < counts.csv the spike detector alone, on counts from a file
  earshot api                               what the Listening API has: projects, queries, mentions, charts
  earshot local-api start                   the Listening API alone, with a sample account

Environment: DATABASE_URL (else an embedded PostgreSQL), REDIS_URL (else queues on PostgreSQL),
LOG_LEVEL (default info for the monitor, warn for everything else), EARSHOT_HOME (default .earshot),
EARSHOT_CONFIG (default earshot.yaml).

Exit codes: 0 done, 1 failed, 2 an error in your input (configuration, rule, flag), 130 interrupted.`;

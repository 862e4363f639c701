import { Command, Help } from "commander";

type AddCommand = (program: Command, env: NodeJS.ProcessEnv) => void;

/** Every command by its name, in the order of the help. Each is loaded only when it is asked for. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  start: async () => (await import("./start.ts")).addStartCommand,
  check: async () => (await import("./check.ts")).addCheckCommand,
  alerts: async () => (await import("./alerts.ts")).addAlertsCommand,
  silence: async () => (await import("./silence.ts")).addSilenceCommand,
  why: async () => (await import("./why.ts")).addWhyCommand,
  preview: async () => (await import("./preview.ts")).addPreviewCommand,
  "send-test": async () => (await import("./send-test.ts")).addSendTestCommand,
  redeliver: async () => (await import("./redeliver.ts")).addRedeliverCommand,
  bounce: async () => (await import("./bounce.ts")).addBounceCommand,
  coverage: async () => (await import("./coverage.ts")).addCoverageCommand,
  detect: async () => (await import("./detect.ts")).addDetectCommand,
  doctor: async () => (await import("./doctor.ts")).addDoctorCommand,
  "set-aside": async () => (await import("./set-aside.ts")).addSetAsideCommand,
  api: async () => (await import("./api.ts")).addApiCommand,
  "local-api": async () => (await import("./local-api.ts")).addLocalApiCommand,
};

/** `earshot` with the command that `argv` (without node and the script) begins with; with all of them where it begins otherwise. */
export async function createProgram(env: NodeJS.ProcessEnv, argv: readonly string[]): Promise<Command> {
  const program = new Command("earshot")
    .description("Watches what people say about a brand and tells the right person in time.")
    .addHelpText("after", HELP)
    .configureHelp({ optionDescription: describeOption })
    .showHelpAfterError("(earshot --help tells more)")
    .configureOutput({ outputError: (text, write) => write(text) })
    .exitOverride();
  const [name = ""] = argv;
  const asked = Object.hasOwn(COMMANDS, name) ? [name] : Object.keys(COMMANDS);
  for (const one of asked) (await COMMANDS[one]?.())?.(program, env);
  return program;
}

/** A flag that is not set does nothing; to say so of each is no help. */
function describeOption(option: Parameters<Help["optionDescription"]>[0]): string {
  return new Help().optionDescription(option).replace(" (default: false)", "");
}

const HELP = `
Examples (in a clone: npm run earshot -- instead of earshot):
  earshot start                             with earshot.yaml: monitor; without: a demo that needs nothing
  earshot start --roles poll,tick           only these roles, as one of many processes
  earshot start --replay tweets.jsonl       live through a file of past mentions
  earshot check                             is the configuration sound, are the rules and templates?
  earshot doctor                            is everything there that it needs? says what to do
  earshot coverage                          per query: last poll, how far behind, seen within what time; calls left
  earshot alerts                            what is open; ack, assign, resolve, not-relevant
  earshot silence add --match query=Acme    hear nothing of it for an hour
  earshot why ALERT                         which rules saw it, who was told, what was held and why
  earshot preview alert                     a message as files: Slack JSON, HTML, text, pictures
  earshot send-test on-call                 really tells this receiver something, and says what came back
  earshot redeliver comms                   what it refused for good, told after all; without a name: a list
  earshot set-aside list                    what always failed and stands aside; replay tries it again
  earshot bounce < message                  what came back to the return path of mails
  earshot detect --at-least 20 < counts.csv the spike detector alone, on counts from a file
  earshot api                               what the Listening API has: projects, queries, mentions, charts
  earshot local-api start                   the Listening API alone, with a sample account

Environment: DATABASE_URL (else an embedded PostgreSQL), REDIS_URL (else queues on PostgreSQL),
LOG_LEVEL (default info for the monitor, warn for everything else), EARSHOT_HOME (default .earshot),
EARSHOT_CONFIG (default earshot.yaml).

Exit codes: 0 done, 1 failed, 2 something you wrote is at fault (configuration, rule, flag), 130 interrupted.`;

import { dirname, join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import {
  draftChecked,
  type Environment,
  floodingQueries,
  inTheWay,
  leaveOut,
  listenOf,
  loadConfig,
  partsOf,
  proposeFeeds,
  readAnswers,
  readEnvironment,
  rulesFolderOf,
  type SetupAnswers,
  type SetupDraft,
  schemaLinesFor,
  sensesIn,
  tryFeeds,
  webhookReceiver,
  whyNoSenses,
  writeSetup,
} from "#admin";
import { brandQuery, kinds, type Sense } from "#feeds";
import { systemClock } from "../lib/clock.ts";
import { UserError } from "../lib/errors.ts";
import { HttpAddress } from "../lib/http-address.ts";
import { TimeZone } from "../lib/local-time.ts";
import { createLog } from "../lib/log.ts";
import { counted } from "../lib/numbers.ts";
import { stopSignal } from "../lib/stop-signal.ts";
import { listIn } from "./common/ask-questions.ts";
import { print, printError, printJson } from "./common/print.ts";
import { toPort } from "./common/to-port.ts";
import { askForBrand, askToReplace, type GivenAnswers, type SetupReceiver } from "./listen/ask-for-brand.ts";
import { askForSenses } from "./listen/ask-for-senses.ts";
import { SETUP_SCHEMAS } from "./schemas.ts";

interface ListenOptions {
  readonly config?: string;
  readonly not?: readonly string[];
  readonly about?: string;
  readonly sense?: readonly string[];
  readonly rival?: readonly string[];
  readonly language?: readonly string[];
  readonly feed?: readonly string[];
  readonly contact?: string;
  readonly slackChannel?: string;
  readonly slackTokenEnv: string;
  readonly webhook?: string;
  readonly mail?: string;
  readonly smtp?: string;
  readonly timezone?: string;
  readonly port?: number;
  readonly yes: boolean;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly try: boolean;
  readonly start: boolean;
  readonly json: boolean;
}

/** `earshot listen`: from the name of a brand to a configuration that runs. */
export function defineListenCommand(command: Command, env: NodeJS.ProcessEnv): void {
  const collect = (text: string, all: readonly string[] = []) => [...all, text];
  const collectEach = (text: string, all: readonly string[] = []) => [...all, ...(listIn(text) ?? [])];
  command
    .argument("[brand]", "name of the brand, such as acme")
    .argument("[spellings...]", 'what else people write: "acme corp", @acme_help')
    .option("--not <word>", "leave out texts with this word; repeat it", collect)
    .option("--about <text>", "what the name means, for a chat model that judges relevance")
    .option(
      "--sense <word>",
      "of several meanings that the name has in what the feeds bring, only the one with this word; repeat it",
      collect,
    )
    .option("--rival <name>", "also listen for this rival; repeat it", collect)
    .option("--language <code>", "only this language, such as en; repeat it (default: any)", collectEach)
    .option(
      "--feed <feed>",
      "a kind, or the address of a feed; repeat it (default: all kinds that need no account)",
      collect,
    )
    .option("--contact <address>", "your mail or web address, which the owners of feeds see")
    .option("--slack-channel <channel>", 'send to this channel of Slack, such as "#brand-alerts"')
    .option("--slack-token-env <name>", "the variable that has the bot token", toVariable, "SLACK_BOT_TOKEN")
    .option("--webhook <url>", "send to this address as JSON", toUrl)
    .option("--mail <address>", "send mail to this address; needs --smtp")
    .option("--smtp <host>", "the mail server")
    .option(
      "--timezone <zone>",
      "time zone of messages, such as Europe/Berlin (default: that of this machine)",
      toTimezone,
    )
    .option("--config <file>", "the file to write (default: earshot.yaml)")
    .option("--port <number>", "port of the console (default: 8080)", toPort)
    .option("--yes", "ask nothing: what is not named is left out, or has its default", false)
    .option("--force", "replace files that exist; the old ones are kept as .old", false)
    .option("--dry-run", "print the files and write nothing", false)
    .option("--no-try", "do not look what the feeds would bring")
    .option("--no-start", "do not start Earshot afterwards")
    .option("--json", "with --dry-run or --no-start: answer as JSON", false)
    .addHelpText("after", HELP)
    .action((brand: string | undefined, spellings: string[], options: ListenOptions) =>
      listen(brand, spellings, options, env),
    );
}

const HELP = `
It writes earshot.yaml, a folder of rules with tests, and starts Earshot. On a terminal it asks for what the flags leave
open; without a terminal, or with --yes, it asks nothing. It replaces no file without asking.

Kinds of feeds: ${kinds.map(({ kind }) => kind).join(", ")}. docs/feeds.md explains them.
Without --slack-channel, --webhook or --mail, messages stay on this machine, in the Inbox of the console.

Examples:
  earshot listen acme "acme corp"
  earshot listen acme "acme corp" --rival rivalware --language en --feed hacker-news --feed https://blog.example/feed
  earshot listen delta "delta air lines" --not river --not variant --dry-run
  earshot listen acme --sense kettle            leaves out texts that are not about kettles and what goes with them
  SLACK_BOT_TOKEN=xoxb-… earshot listen acme --slack-channel "#brand-alerts" --yes`;

async function listen(
  brand: string | undefined,
  spellings: readonly string[],
  options: ListenOptions,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const environment = readEnvironment(env);
  const file = options.config ?? environment.configFile;
  if (options.json && options.start && !options.dryRun)
    throw new UserError("--json goes with --dry-run or --no-start");
  const { answers: typed, secrets, asks } = await answersFrom(brand, spellings, options);
  const answers = await withSenses(typed, options, asks);
  const draft = await draftChecked(answers, schemaLinesFor(file, rulesFolderOf(answers.brand)));
  for (const warning of draft.warnings) printError(`Note: ${warning}`);
  if (options.dryRun) return showDraft(file, draft, options.json);
  if (!options.force && (await partsOf(file)).source)
    throw new UserError(`${file} names an account, which the file of earshot listen does not`, [
      "to listen beside it, add `listen` to it; earshot listen … --dry-run prints the part and its rules",
      "with --force the file is kept as .old, and the account is not watched any more",
    ]);
  const replace =
    options.force || (asks && (await askToReplace(inTheWay(file, draft), process.stdin, process.stderr)));
  const done = await writeSetup(file, draft, { replace, secrets, schemas: SETUP_SCHEMAS });
  if (options.json) return printJson({ ...done, warnings: draft.warnings });
  for (const path of done.kept) print(`Kept the old one as ${path}.`);
  print(
    `Wrote ${file}, and ${counted((done.written.length - 1) / 2, "rule")} with tests in ${join(dirname(file), rulesFolderOf(answers.brand))}.`,
  );
  const port = options.port === undefined ? [] : ["--port", String(options.port)];
  const start = ["npm start", ...(port.length === 0 ? [] : ["--", ...port])].join(" ");
  if (options.try) await tryAll(file, env);
  if (!options.start) return print(`\nRead it, change what you like, and start Earshot with: ${start}`);
  await startListening(file, answers, options, environment, env);
}

/** Looks what the feeds bring under the name, and leaves out the meanings that are not meant. */
async function withSenses(
  answers: SetupAnswers,
  { try: tries, sense: words = [] }: ListenOptions,
  asks: boolean,
): Promise<SetupAnswers> {
  if (words.length > 0 && !tries)
    throw new UserError("--sense looks at what the feeds bring: leave out --no-try");
  if (!tries || (words.length === 0 && !asks)) return answers;
  const { brand, spellings, not } = answers;
  printError("\nLooking what the feeds bring under the name …");
  const signal = stopSignal();
  const queries = [{ name: brand, text: brandQuery(spellings, not).text }];
  const tried = await tryFeeds(listenOf(answers, queries), { clock: systemClock, signal });
  signal.throwIfAborted();
  const found = sensesIn(tried, answers);
  if (found.outcome !== "Several") {
    printError(`Note: ${whyNoSenses(found, brand)}`);
    return answers;
  }
  const { senses } = found;
  const meant =
    words.length > 0
      ? meantBy(words, senses, brand)
      : await askForSenses(brand, senses, process.stdin, process.stderr);
  const left = leaveOut(brand, senses, meant);
  if (left.about !== null) printError(`Left out: ${left.not.join(", ") || "no word tells them apart"}.`);
  return { ...answers, not: [...new Set([...not, ...left.not])], about: answers.about ?? left.about };
}

/** The indices of the senses that have one of the words. */
function meantBy(words: readonly string[], senses: readonly Sense[], brand: string): readonly number[] {
  const has = ({ words: own, not, examples }: Sense, word: string) =>
    [...own, ...not].includes(word) || examples.some((one) => one.toLowerCase().includes(word));
  return words.flatMap((given) => {
    const word = given.trim().toLowerCase();
    const index = senses.findIndex((sense) => has(sense, word));
    if (index >= 0) return index;
    const known = senses.map((sense) => sense.words.slice(0, 4).join(", "));
    throw new UserError(`no meaning of ${brand} in what the feeds bring has the word "${given}"`, known);
  });
}

async function startListening(
  file: string,
  { brand, feeds, receiver }: SetupAnswers,
  options: ListenOptions,
  environment: Environment,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  print("\nStarting Earshot …");
  const { runMonitor } = await import("./run-monitor.ts");
  const started = {
    page: true,
    oneProcess: false,
    speed: "max",
    exitWhenDone: false,
    json: false,
    port: options.port,
  } as const;
  const log = createLog({ level: environment.logLevel ?? "warn" });
  await runMonitor(file, started, environment, env, log, (url) => {
    print(`
Earshot listens for ${brand} in ${counted(countFeeds(feeds), "feed")}.

  Console:   ${url}
  Messages:  ${receiver === null ? `${url}/inbox  (they stay on this machine until ${file} names receivers)` : describeReceiver(receiver)}
  Feeds:     ${url}/feeds

The first message comes within two minutes after a feed has brought something. Ctrl-C stops Earshot; npm start goes on.`);
  });
}

/** Each address is a feed. */
function countFeeds(feeds: SetupAnswers["feeds"]): number {
  return feeds.reduce((sum, { keys: { urls } }) => sum + (Array.isArray(urls) ? urls.length : 1), 0);
}

function describeReceiver(receiver: NonNullable<SetupAnswers["receiver"]>): string {
  const to = receiver["channel"] ?? receiver["to"] ?? "";
  return `${String(receiver["kind"])}${to === "" ? "" : ` ${String(to)}`}`;
}

/** What flags say, and questions on a terminal for the rest. */
async function answersFrom(
  brand: string | undefined,
  spellings: readonly string[],
  options: ListenOptions,
): Promise<{ answers: SetupAnswers; secrets: SetupReceiver["secrets"]; asks: boolean }> {
  const { stdin, stderr } = process;
  const asks = stdin.isTTY && stderr.isTTY && !options.yes;
  if (brand === undefined && !asks)
    throw new UserError("name the brand; questions are asked on a terminal only", [
      'earshot listen acme "acme corp"',
      "earshot listen --help shows the flags",
    ]);
  const given: GivenAnswers = {
    brand,
    spellings,
    not: options.not ?? [],
    about: options.about ?? "",
    rivals: options.rival ?? [],
    languages: options.language ?? [],
    feeds: options.feed ?? [],
    contact: options.contact,
    to: receiverFrom(options),
  };
  const { to = IN_THE_INBOX, ...words } = asks ? await askForBrand(given, stdin, stderr) : given;
  const typed = {
    ...words,
    brand: words.brand ?? "",
    contact: words.contact ?? "",
    timezone: options.timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    receiver: to.keys,
  };
  const answers = readAnswers(typed, { refusePrivate: false });
  const { brand: name, rivals, languages, spellings: all } = answers;
  const about = { queries: [name, ...rivals], spellings: all, languages };
  const feeds = words.feeds.length === 0 ? proposeFeeds(about) : answers.feeds;
  return { answers: { ...answers, feeds }, secrets: to.secrets, asks };
}

const IN_THE_INBOX: SetupReceiver = { keys: null, secrets: [] };

function receiverFrom(options: ListenOptions): SetupReceiver | undefined {
  const { slackChannel, slackTokenEnv, webhook, mail, smtp } = options;
  const chosen = [slackChannel, webhook, mail].filter((one) => one !== undefined);
  if (chosen.length > 1)
    throw new UserError("name one of --slack-channel, --webhook and --mail; earshot.yaml takes more");
  if (mail !== undefined && smtp === undefined)
    throw new UserError("--mail needs the mail server, too: --smtp mail.brand.example");
  const keys =
    slackChannel !== undefined
      ? { kind: "slack", channel: slackChannel, token: `\${${slackTokenEnv}}` }
      : webhook !== undefined
        ? webhookReceiver(webhook)
        : mail !== undefined && smtp !== undefined
          ? { kind: "email", to: mail, from: mail, smtp: { host: smtp } }
          : null;
  return keys === null ? undefined : { keys, secrets: [] };
}

function showDraft(file: string, { files, warnings }: SetupDraft, isJson: boolean): void {
  const named = files.map(({ path, text }, index) => ({
    path: index === 0 ? file : join(dirname(file), path),
    text,
  }));
  if (isJson) printJson({ files: named, warnings });
  else for (const { path, text } of named) print(`# ---- ${path}\n${text}`);
}

/** Shows what the feeds would bring now, and names queries that match too much. */
async function tryAll(file: string, env: NodeJS.ProcessEnv): Promise<void> {
  const signal = stopSignal();
  const { listen } = await loadConfig(file, env);
  if (listen === null || listen.feeds.length === 0) return;
  print("\nLooking what the feeds would bring …");
  const tried = await tryFeeds(listen, { clock: systemClock, signal });
  signal.throwIfAborted();
  for (const { feed, problem, items } of tried) {
    const matched = items.filter(({ queries }) => queries.length > 0).length;
    print(
      `  ${feed}: ${problem !== null && items.length === 0 ? problem : `${counted(items.length, "item")}, ${counted(matched, "matched", "matched")}`}`,
    );
  }
  const names = listen.queries.map(({ name }) => name);
  for (const name of floodingQueries(tried, names))
    printError(`Note: ${name} matches a large part of everything. Add NOT words to its query in ${file}.`);
}

function toUrl(text: string): string {
  if (HttpAddress.safeParse(text).success) return text;
  throw new InvalidArgumentError(`Expected an address that begins with https://, got "${text}".`);
}

function toTimezone(text: string): string {
  if (TimeZone.safeParse(text).success) return text;
  throw new InvalidArgumentError(`Expected a time zone such as Europe/Berlin, got "${text}".`);
}

function toVariable(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return text;
  throw new InvalidArgumentError(`Expected the name of an environment variable, got "${text}".`);
}

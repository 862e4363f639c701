import type { Command } from "commander";
import { type Config, LISTENING, loadConfig, readEnvironment } from "#admin";
import {
  createEnricher,
  type FeedRow,
  type FeedTry,
  feedStatus,
  gapText,
  listFeeds,
  planFeeds,
  tryFeed,
  userAgent,
} from "#feeds";
import { findProject } from "#listening-api";
import { formatTime } from "#monitor";
import { systemClock } from "../lib/clock.ts";
import { closestWord } from "../lib/closest-word.ts";
import { formatDuration } from "../lib/duration.ts";
import { didYouMean, UserError } from "../lib/errors.ts";
import type { Instant } from "../lib/instant.ts";
import { counted } from "../lib/numbers.ts";
import { stopSignal } from "../lib/stop-signal.ts";
import { timezoneInUse } from "./common/load-rules-in-use.ts";
import { print, printJson } from "./common/print.ts";
import { padToWidth } from "./common/text-width.ts";
import { LEARNED_HELP, showLearned } from "./feeds/show-learned.ts";
import { runUndo, UNDO_HELP, type UndoOptions } from "./feeds/undo-deletes.ts";
import { withTables } from "./local-api/with-tables.ts";

interface Options {
  readonly config?: string;
  readonly json?: boolean;
}

export function defineFeedsCommand(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .option("--config <file>", "configuration (default: earshot.yaml)")
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action((options: Options) => list(options, env));
  group
    .command("try")
    .argument(
      "<feed>",
      "name, address or kind of a configured feed; or any address of an RSS, Atom or JSON feed",
    )
    .description(
      "Fetches a feed once, or listens to a stream, and prints what would come in, matched by which query and why. Stores nothing.",
    )
    .option("--config <file>", "configuration (default: earshot.yaml)")
    .option("--json", "print JSON", false)
    .option("--all", "print every item, not only the first 20", false)
    .option("--seconds <n>", "how long a stream is listened to", "10")
    .addHelpText("after", TRY_HELP)
    .action((feed: string, own: Options & { all: boolean; seconds: string }, command: Command) =>
      tryOne(
        feed,
        { ...command.parent?.opts(), ...own, json: own.json || command.parent?.opts()["json"] },
        env,
      ),
    );
  group
    .command("undo")
    .argument("[mention]", "its address, or the first six or more characters of its id")
    .description(
      "Brings back items that were only seen to be gone, for a week. Without an argument: lists them.",
    )
    .option("--config <file>", "configuration (default: earshot.yaml)")
    .option("--feed <name>", "everything of this feed")
    .option("--json", "print JSON", false)
    .addHelpText("after", UNDO_HELP)
    .action(async (mention: string | undefined, own: Options & UndoOptions, command: Command) => {
      const options = { ...command.parent?.opts(), ...own, json: own.json || command.parent?.opts()["json"] };
      await runUndo(mention, options, await configWithListen(options, env), env);
    });
  addLearned(group, env);
}

function addLearned(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("learned")
    .description("Says of each query what people have taught, whether it acts, and how good it is.")
    .option("--config <file>", "configuration (default: earshot.yaml)")
    .option("--json", "print JSON", false)
    .addHelpText("after", LEARNED_HELP)
    .action(async (own: Options, command: Command) => {
      const options = { ...command.parent?.opts(), ...own };
      const json = own.json === true || command.parent?.opts()["json"] === true;
      await showLearned({ json }, await configWithListen(options, env), env);
    });
}

const HELP = `
Feeds stand in earshot.yaml:
  listen:
    queries:
      - { name: Acme, text: '"acme corp" OR acmecorp' }
    feeds:
      - { kind: rss, urls: [https://blog.example/feed] }
      - { kind: hacker-news }
      - { kind: news, for: [Acme], languages: [en] }
      - { kind: mastodon, server: mastodon.example, tags: [acme] }
      - { kind: bluesky }
      - { kind: mailbox, imap: { host: imap.mail.example, user: ann@acme.example, password: \${MAIL_PASSWORD} } }
      - { kind: push, token: \${PUSH_TOKEN} }
Other kinds and their keys: docs/feeds.md.

States: ok · listening (a stream is open) · quiet (it answers, nothing new) · waiting (not fetched yet) · late (due, and nobody fetches it) ·
failing (tried again soon) · paused (failed often, tried seldom) · gone (410) · open (others push to it).

Examples:
  earshot feeds                                 each feed: last answer, next try, items today, why it is silent
  earshot feeds --json
  earshot feeds try https://blog.example/feed   what would this one bring?
  earshot feeds undo                            what was seen to be gone, and can come back for a week
  earshot feeds learned                         what people taught of relevance and sentiment`;

const TRY_HELP = `
Examples:
  earshot feeds try "Hacker News"
  earshot feeds try bluesky --seconds 30        listens for half a minute
  earshot feeds try https://blog.example/feed   also before it stands in earshot.yaml
  earshot feeds try blog.example/feed --json

A feed that is not in earshot.yaml is tried as a kind rss. Exit code 1: it cannot be fetched or read.`;

async function configWithListen(
  options: Options,
  env: NodeJS.ProcessEnv,
): Promise<Config & { file: string }> {
  const file = options.config ?? readEnvironment(env).configFile;
  const config = await loadConfig(file, env);
  if (config.listen === null)
    throw new UserError(`${file} has no part "listen", so there are no feeds`, [
      "earshot feeds --help shows one",
    ]);
  return { ...config, file };
}

async function list(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  const config = await configWithListen(options, env);
  const planned = planFeeds(config.listen ?? { feeds: [], queries: [] });
  const { at, feeds: stored } = await withTables(env, async ({ db }) => {
    const project = await findProject(db, LISTENING).catch((error: unknown) => {
      if (error instanceof UserError) return null;
      throw error;
    });
    return project === null ? { at: systemClock.now(), feeds: [] } : listFeeds(db, project.id);
  });
  // The file may have changed since the last start.
  const feeds = stored.map((feed) => ({
    ...feed,
    isConfigured: planned.some(({ key }) => key === feed.key),
  }));
  const missing = planned.filter(({ key }) => feeds.every((feed) => feed.key !== key));
  if (options.json) {
    printJson({
      feeds: feeds.map((feed) => ({ ...feed, ...feedStatus(feed, at) })),
      notStarted: missing.map(({ kind, name }) => ({ kind, name })),
    });
    return;
  }
  if (planned.length + feeds.length === 0) print("No feeds are configured. earshot feeds --help shows how.");
  for (const feed of feeds) for (const line of linesOf(feed, at)) print(line);
  for (const { kind, name } of missing)
    print(`${padToWidth(name, 44)} ${kind.padEnd(12)} not started: earshot start opens it`);
}

function linesOf(feed: FeedRow, at: Instant): string[] {
  const { state, why } = feedStatus(feed, at);
  const ago = (moment: Instant | null) => (moment === null ? "never" : `${formatDuration(at - moment)} ago`);
  const next =
    feed.nextAt === null
      ? ""
      : feed.nextAt <= at
        ? ", next try now"
        : `, next try in ${formatDuration(feed.nextAt - at)}`;
  const every = feed.everyMs === 0 ? "" : `, expected every ${formatDuration(feed.everyMs)}`;
  return [
    `${padToWidth(feed.name, 44)} ${feed.kind.padEnd(12)} ${state}`,
    `  last answer ${ago(feed.receivedAt)}${every}${next} · today ${counted(feed.itemsToday, "item")}, ${counted(feed.matchedToday, "matched", "matched")} · newest item came ${ago(feed.itemAt)}`,
    ...(why === null ? [] : [`  ${why}`]),
    ...feed.notes.filter((note) => note !== "").map((note) => `  ${note}`),
    ...(feed.gap === null || why === gapText(feed.gap) ? [] : [`  ${gapText(feed.gap)}`]),
  ];
}

async function tryOne(
  nameOrUrl: string,
  options: Options & { readonly all: boolean; readonly seconds: string },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const signal = stopSignal();
  const seconds = Number(options.seconds);
  if (!(seconds > 0 && seconds <= 3_600)) throw new UserError("--seconds is a number from 1 to 3600");
  const { listen, enrich, file } = await configWithListen(options, env);
  if (listen === null) return;
  const planned = planFeeds(listen);
  const named = planned.filter((feed) => isCalled(feed, nameOrUrl));
  const feeds =
    named.length > 0 || !/^https?:\/\//i.test(nameOrUrl)
      ? named
      : planFeeds({ ...listen, feeds: [rssAt(nameOrUrl)] });
  const [feed, other] = feeds;
  if (feed === undefined) {
    const meant = closestWord(
      nameOrUrl,
      planned.map(({ name }) => name),
    );
    throw new UserError(`${file} has no feed "${nameOrUrl}"${didYouMean(meant)}`, [
      "earshot feeds lists them",
    ]);
  }
  if (other !== undefined)
    throw new UserError(
      `${counted(feeds.length, "feed")} are called "${nameOrUrl}"; say which`,
      feeds.map(({ name }) => name).slice(0, 20),
    );
  const tried = await tryFeed(feed, {
    listen,
    enrich: (await createEnricher(enrich)).ofText,
    userAgent: userAgent(listen),
    clock: systemClock,
    signal,
    listenMs: seconds * 1_000,
  });
  if (options.json) {
    printJson(tried);
  } else {
    show(tried, options.all, await timezoneInUse(env));
  }
  if (tried.problem !== null && tried.items.length === 0) process.exitCode = 1;
}

function rssAt(url: string) {
  return { kind: "rss" as const, urls: [url], allowPrivateAddress: false };
}

function isCalled(
  feed: { name: string; kind: string; part: { url: string | null } },
  nameOrUrl: string,
): boolean {
  const fold = (text: string) =>
    text
      .toLowerCase()
      .replace(/^https?:\/\//, "")
      .replace(/\/$/, "");
  return [feed.name, feed.kind, feed.part.url ?? ""].some((name) => fold(name) === fold(nameOrUrl));
}

const MOST_SHOWN = 20;

function show(
  { feed, problem, items, refused, deletes, policy, more }: FeedTry,
  isAll: boolean,
  timezone: string,
): void {
  if (problem !== null) print(`${feed}: ${problem}.`);
  if (problem !== null && items.length === 0) return;
  const matched = items.filter(({ queries }) => queries.length > 0).length;
  print(
    `${feed}: ${counted(items.length, "item")}, ${counted(matched, "matched", "matched")}. Nothing was stored.`,
  );
  const sorted = [...items].sort((a, b) => b.queries.length - a.queries.length);
  for (const item of isAll ? sorted : sorted.slice(0, MOST_SHOWN)) {
    print("");
    print(`${item.title ?? firstLine(item.text)}`);
    const author = item.author === null ? "" : ` by ${item.author}`;
    const doubt = item.doubt === "dated" ? "" : ` (${item.doubt}: the time of the fetch)`;
    print(
      `  ${formatTime(item.date, timezone)}${doubt}${author} · ${item.pageType}${item.url === null ? "" : ` · ${item.url}`}`,
    );
    for (const query of item.queries)
      print(
        `  → ${query.name}${query.words.length === 0 ? "" : `: ${query.words.map((word) => `"${word}"`).join(", ")}`}`,
      );
    if (item.queries.length === 0)
      for (const miss of item.misses.slice(0, 2)) print(`  · not ${miss.query}: ${miss.message}`);
  }
  if (!isAll && items.length > MOST_SHOWN) print(`\n… and ${items.length - MOST_SHOWN} more: --all`);
  for (const { reason, n } of refused) print(`\nLeft out, ${counted(n, "item")}: ${reason}.`);
  if (deletes > 0) print(`\n${counted(deletes, "delete")}.`);
  if (more) print("\nThere is more to fetch; the monitor goes on at once.");
  print(
    `\nStored: ${policy.stored}. Sent out: ${policy.sentOut}. How deletes are learnt: ${policy.deletesLearntBy}.`,
  );
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

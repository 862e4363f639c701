import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { usesLocalInbox, withLocalReceivers } from "#console";
import { checkListen, type ListenConfig, loadReadFeeds } from "#feeds";
import { checkReceivers, type ReceiverConfig, readReceivers, type Sources } from "#monitor";
import { describeIssues } from "../../lib/describe-issues.ts";
import { type Issue, UserError } from "../../lib/errors.ts";
import { shippedFolder } from "../../lib/folders.ts";
import { checkNames } from "./check-names.ts";
import { ConfigFile } from "./config-file.ts";
import { ownSource } from "./own-source.ts";
import { readConfig } from "./read-config.ts";

export interface Config extends Omit<ConfigFile, "receivers" | "templates" | "source" | "listen"> {
  readonly receivers: readonly ReceiverConfig[];
  /**
   * The account, and our own Listening API with `listen`. The address of our own is known when it is open: see
   * `withListening`.
   */
  readonly sources: Sources;
  /** Null: only an account is polled. */
  readonly listen: ListenConfig | null;
  /** Messages go to a Slack and a mailbox on this machine: see `withLocalInbox`. */
  readonly usesLocalInbox: boolean;
  /** The user's folder, or the shipped one. */
  readonly templates: string;
}

/** Reads `earshot.yaml`. Throws one UserError with all faults. */
export async function loadConfig(file: string, env: NodeJS.ProcessEnv): Promise<Config> {
  const config = await readConfig(file, env, parseFile);
  const resolved = (folder: string) => (isAbsolute(folder) ? folder : join(dirname(file), folder));
  // A configured folder must exist; the default one may be missing.
  const own = resolved(config.templates ?? "templates");
  const isUsed = config.templates !== undefined || existsSync(own);
  const { tls, ...page } = config.web;
  const web =
    tls === undefined ? page : { ...page, tls: { cert: resolved(tls.cert), key: resolved(tls.key) } };
  const templates = isUsed ? own : shippedFolder("templates");
  return {
    ...config,
    web,
    rules: resolved(config.rules),
    templates,
    listen: resolveListen(config.listen, resolved),
  };
}

/** Checks a configuration made in code (demo, replay, tests) with the same schema. */
export async function parseConfig(content: unknown): Promise<Config> {
  const issues: Issue[] = [];
  const config = await parseFile(content, issues);
  if (config === undefined || issues.length > 0) {
    throw new UserError(
      "the configuration has faults",
      issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`),
    );
  }
  return { ...config, templates: config.templates ?? shippedFolder("templates") };
}

/** Files of feeds lie beside the configuration. */
function resolveListen(listen: ListenConfig | null, resolved: (path: string) => string): ListenConfig | null {
  if (listen === null) return null;
  const feeds = listen.feeds.map((feed) =>
    "opml" in feed && feed.opml !== undefined ? { ...feed, opml: resolved(feed.opml) } : feed,
  );
  return { ...listen, feeds };
}

/** The kinds of feeds bring their parsers along: a process that only polls an account does not read them. */
async function feedsIn(content: unknown, issues: Issue[]): Promise<ListenConfig["feeds"]> {
  if (Reflect.get(Object(content), "listen") === undefined) return [];
  const { readFeeds } = await loadReadFeeds();
  return readFeeds(content, issues);
}

type FileConfig = Omit<Config, "templates"> & Pick<ConfigFile, "templates">;

async function parseFile(given: unknown, issues: Issue[]): Promise<FileConfig | undefined> {
  const content = withLocalReceivers(given);
  const parsed = ConfigFile.safeParse(content);
  const receivers = readReceivers(content, issues);
  const feeds = await feedsIn(content, issues);
  if (!parsed.success) {
    issues.push(...describeIssues(parsed.error, ConfigFile, content));
    return undefined;
  }
  checkNames(parsed.data, issues);
  checkReceivers({ publicUrl: parsed.data.web.publicUrl ?? null }, receivers, issues);
  const { source, listen: written, ...file } = parsed.data;
  const listen = written === undefined ? null : { ...written, feeds };
  if (listen !== null) checkListen(listen, issues);
  const account = source === undefined ? [] : [{ ...source, name: "account" as const }];
  const [first, ...others] = [...account, ...(listen === null ? [] : [ownSource(listen)])];
  if (first === undefined) {
    issues.push({
      path: [],
      message: "name a source (an account), or listen (public feeds): nothing is watched",
    });
    return undefined;
  }
  return {
    ...file,
    ...{ receivers, listen, sources: [first, ...others], usesLocalInbox: usesLocalInbox(given) },
  };
}

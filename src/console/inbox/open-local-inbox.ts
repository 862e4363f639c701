import { createInboxStore, openDatabase, type ReceiverConfig, SLACK_PATH } from "#monitor";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import { describeError, UserError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import type { LocalInbox } from "./create-local-inbox.ts";
import type { InboxMessage } from "./inbox-store.ts";
import { inventLocalSecrets, LOCAL_PEOPLE } from "./local-account.ts";
import { type LocalServers, openLocalReceivers } from "./local-receivers.ts";
import { loadLocalInbox } from "./on-demand.ts";

/** What it needs of a configuration. */
interface InboxConfig {
  readonly usesLocalInbox: boolean;
  readonly receivers: readonly ReceiverConfig[];
}

interface OpenInbox {
  /** The configuration with the open servers as receivers, if it names none. Throws a UserError if they are not open. */
  readonly configOf: <Config extends InboxConfig>(config: Config) => Config;
  /** A person clicks a button of a message; null if the configuration names receivers. */
  readonly press: LocalInbox["press"] | null;
}

/**
 * For a configuration that listens and names no receiver: opens a Slack and a mailbox on this machine. Their messages
 * are in the database, so each process has its own servers and all of them one inbox.
 */
export async function withLocalInbox(
  config: InboxConfig,
  parts: InboxParts,
  closing: Closing,
): Promise<OpenInbox> {
  if (!config.usesLocalInbox) return { configOf: refuseInbox, press: null };
  const { receivers, press } = await openLocalInbox(parts, closing);
  return {
    configOf: (now) => (now.usesLocalInbox ? { ...now, receivers } : now),
    press,
  };
}

interface InboxParts {
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** The console takes clicks on buttons; null while it is closed. */
  readonly consoleUrl: () => string | null;
}

/** Opens a Slack and a mailbox on this machine, with secrets of this process. */
export async function openLocalInbox(
  { databaseUrl, clock, log, consoleUrl }: InboxParts,
  closing: Closing,
): Promise<
  Required<LocalServers> & {
    readonly receivers: readonly ReceiverConfig[];
    readonly press: LocalInbox["press"];
  }
> {
  // Only here: whoever has receivers does not wait for a mail server, a local API and a console to be read.
  const { createLocalInbox } = await loadLocalInbox();
  const onError = (error: Error) =>
    log.warn({ error: describeError(error) }, "a database connection of the inbox broke");
  const database = openDatabase({ url: databaseUrl, connections: 3, onError });
  closing.add(database.close);
  const { slackToken, signingSecret } = inventLocalSecrets();
  const url = () => {
    const console = consoleUrl();
    return console === null ? null : new URL(SLACK_PATH, console).href;
  };
  const inbox = await createLocalInbox(
    { store: createInboxStore<InboxMessage>(database.db), clock, log },
    {
      token: slackToken,
      users: Object.fromEntries(LOCAL_PEOPLE.map(({ id, name }) => [id, name])),
      interactivity: { url, signingSecret, wall: systemClock },
    },
  );
  closing.add(inbox.close);
  const { slackApiUrl, smtp, press } = inbox;
  const servers = { slackApiUrl, smtp, slackToken, signingSecret };
  return { ...servers, receivers: openLocalReceivers(servers), press };
}

function refuseInbox<Config extends InboxConfig>(config: Config): Config {
  if (!config.usesLocalInbox) return config;
  throw new UserError(
    "`receivers` was removed, which needs a restart of Earshot: it opens the Inbox at its start",
  );
}

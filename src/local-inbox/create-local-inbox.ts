import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../log.ts";
import type { InboxStore } from "./inbox-store.ts";
import { startLocalSlack } from "./start-local-slack.ts";
import { startLocalSmtp } from "./start-local-smtp.ts";

export interface LocalInboxDeps {
  readonly store: InboxStore;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface LocalInboxOptions {
  /** The bot token that the local Slack takes. */
  readonly token: string;
  /** Channel names that exist; any name does when this is absent. */
  readonly channels?: readonly string[];
  /** 0, the default, takes any free port. */
  readonly slackPort?: number;
  readonly smtpPort?: number;
}

export interface LocalInbox {
  /** What a Slack receiver's `apiUrl` has to be. */
  readonly slackApiUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  close(): Promise<void>;
}

/** A Slack and a mail server of our own on the loopback address, for the demo and the tests. */
export async function createLocalInbox(
  deps: LocalInboxDeps,
  options: LocalInboxOptions,
): Promise<LocalInbox> {
  const slack = await startLocalSlack(deps, options);
  const smtp = await startLocalSmtp(deps, options).catch(async (error: unknown) => {
    await slack.close();
    throw error;
  });
  return {
    slackApiUrl: slack.apiUrl,
    smtp: { host: smtp.host, port: smtp.port },
    close: async () => {
      await Promise.all([slack.close(), smtp.close()]);
    },
  };
}

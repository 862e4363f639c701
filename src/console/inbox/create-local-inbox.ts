import type { LocalInboxDeps, LocalInboxOptions } from "./inbox-store.ts";
import type { ButtonPress, PressResult } from "./press-button.ts";
import { startLocalSlack } from "./start-local-slack.ts";
import { startLocalSmtp } from "./start-local-smtp.ts";

export interface LocalInbox {
  /** The `apiUrl` for Slack receivers. */
  readonly slackApiUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  /** A user clicks a button or select of a message. */
  press(press: ButtonPress): Promise<PressResult>;
  close(): Promise<void>;
}

/** A local Slack and mail server on the loopback address, for the demo and the tests. */
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
    press: slack.press,
    close: async () => {
      await Promise.all([slack.close(), smtp.close()]);
    },
  };
}

import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../log.ts";
import type { InboxStore } from "./inbox-store.ts";

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

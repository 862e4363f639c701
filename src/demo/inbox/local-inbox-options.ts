import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../log.ts";
import type { InboxStore } from "./inbox-store.ts";

export interface LocalInboxDeps {
  readonly store: InboxStore;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface LocalInboxOptions {
  /** The bot token that the local Slack accepts. */
  readonly token: string;
  /** Existing channel names; default: any name exists. */
  readonly channels?: readonly string[];
  /** The app's scopes, as in Slack's header `x-oauth-scopes`; default all. */
  readonly scopes?: readonly string[];
  /** Users of the workspace, by id; default: any id is known. */
  readonly users?: Readonly<Record<string, string>>;
  /** Accepts `apps.connections.open` with this token, and returns that address. */
  readonly sockets?: { readonly appToken: string; readonly url: () => string };
  /** Where interactions are posted; nowhere if absent. */
  readonly interactivity?: Interactivity;
  /** 0, the default, means any free port. */
  readonly slackPort?: number;
  readonly smtpPort?: number;
  /** How long a request or a whole mail may take to arrive, in milliseconds. Default: half a minute. */
  readonly requestTimeoutMs?: number;
}

/** Where the local Slack posts interactions, as in an app's settings ("Interactivity"). */
export interface Interactivity {
  /** Null if nothing listens yet. */
  readonly url: () => string | null;
  readonly signingSecret: string;
  /** The clock of signatures: always wall time, even if the messages have another time. */
  readonly wall: Clock;
}

import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../log.ts";
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
  /** What the app may do, as Slack says it in the header `x-oauth-scopes`; everything when this is absent. */
  readonly scopes?: readonly string[];
  /** People of the workspace, by id; anybody is known when this is absent. */
  readonly users?: Readonly<Record<string, string>>;
  /** Takes `apps.connections.open` with this token, and gives that address. */
  readonly sockets?: { readonly appToken: string; readonly url: () => string };
  /** Where presses go; nowhere when this is absent. */
  readonly interactivity?: Interactivity;
  /** 0, the default, takes any free port. */
  readonly slackPort?: number;
  readonly smtpPort?: number;
  /** How long a request or a whole mail may take to arrive, in milliseconds. Default: half a minute. */
  readonly requestTimeoutMs?: number;
}

/** Where the local Slack posts presses, as an app says it in its settings ("Interactivity"). */
export interface Interactivity {
  /** Null: nobody listens yet. */
  readonly url: () => string | null;
  readonly signingSecret: string;
  /** The time of signatures, which is that of the wall whatever the messages live in. */
  readonly wall: Clock;
}

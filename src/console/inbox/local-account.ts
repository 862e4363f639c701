import { randomBytes } from "node:crypto";

/** The account of the local Listening API that demo and replay use. */
export const LOCAL_ACCOUNT = { username: "monitor@earshot.local", clientId: "earshot-api-client" };

/** `earshot local-api` uses the same tables, but does not serve this client. */
export const DEMO_CLIENT = "Demo";

/** The secrets of the local servers of one demo or replay. */
export interface LocalSecrets {
  /** Of the account. */
  readonly password: string;
  /** The token of the local Slack. */
  readonly slackToken: string;
  /** Signs its interactions. */
  readonly signingSecret: string;
}

/**
 * Random for each start, so that they are unknown to others and invalid after the end. Otherwise another site, or
 * another user of this machine, could read what is replayed and click buttons.
 */
export function inventLocalSecrets(): LocalSecrets {
  const invent = () => randomBytes(24).toString("base64url");
  return { password: invent(), slackToken: `xoxb-local-${invent()}`, signingSecret: invent() };
}

/** The users of the local Slack, in addition to the reader of the console. */
export const LOCAL_PEOPLE = [
  { id: "U0ANN", name: "Ann" },
  { id: "U0BO", name: "Bo" },
  { id: "U0YOU", name: "You" },
] as const;

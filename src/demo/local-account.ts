import { randomBytes } from "node:crypto";

/** The account of the local Listening API that demo and replay use. */
export const LOCAL_ACCOUNT = {
  username: "monitor@earshot.local",
  clientId: "earshot-api-client",
};

/** The demo's tables are those of `earshot local-api` as well, which does not serve this client. */
export const DEMO_CLIENT = "Demo";

/** What opens the local servers of one demo or replay, and signs what they send. */
export interface LocalSecrets {
  /** Of the account. */
  readonly password: string;
  /** What the local Slack is called with. */
  readonly slackToken: string;
  /** Signs the presses of its buttons. */
  readonly signingSecret: string;
}

/**
 * Invented for each start, so that nobody knows them from elsewhere and none of them is good after the end: a page of
 * another site, or another user of this machine, could otherwise read what is replayed and press buttons.
 */
export function inventLocalSecrets(): LocalSecrets {
  const invent = () => randomBytes(24).toString("base64url");
  return { password: invent(), slackToken: `xoxb-local-${invent()}`, signingSecret: invent() };
}

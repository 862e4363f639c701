import type { CheckNote } from "../../define-notifier.ts";
import type { Connection } from "./connect.ts";
import { openSocketUrl } from "./open-socket-url.ts";

/** Finds what the installed app cannot do, and whether its app-level token opens a socket. Sends no message. */
export async function checkSlack(connection: Connection): Promise<readonly CheckNote[]> {
  const { client, config, signal } = connection;
  const answer = await client.auth.test();
  const scopes = answer.response_metadata?.scopes ?? null;
  // If Slack does not list the app's scopes, none are reported as missing; a refused message will name them.
  const missing = scopes === null ? [] : Object.keys(SCOPES).filter((scope) => !scopes.includes(scope));
  const { appToken, apiUrl } = config;
  const socket = appToken === undefined ? {} : await openSocketUrl({ appToken, apiUrl }, signal);
  return [
    ...("error" in socket
      ? [{ found: "its buttons do nothing: no socket can be opened", advice: `${socket.error}.` }]
      : []),
    ...missing.map((scope) => ({
      found: `the Slack app lacks the scope ${scope}: ${SCOPES[scope as keyof typeof SCOPES]}`,
      advice: "Add it (slack-app-manifest.yaml has them all) and install the app again.",
    })),
  ];
}

/** What fails without each scope. */
export const SCOPES = {
  "chat:write": "it cannot post",
  "channels:read": "it cannot find a channel by its name",
  "channels:history": "after a crash it may post a message twice",
  "groups:read": "it cannot find a private channel by its name",
  "groups:history": "after a crash it may post a message twice in a private channel",
  "files:write": "messages bring no charts",
  "users:read": "an alert is given to an id instead of a name",
} as const;

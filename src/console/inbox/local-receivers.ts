import { type ReceiverConfig, readReceivers } from "#monitor";

/** Where the local Slack and mailbox answer, and the secrets of this process. */
export interface LocalServers {
  readonly slackApiUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  readonly slackToken: string;
  /** Signs clicks on buttons. Absent: messages have none. */
  readonly signingSecret?: string;
}

/** Until the servers are open: nothing is sent to these. */
const NOT_OPEN: LocalServers = {
  slackApiUrl: "http://127.0.0.1/",
  smtp: { host: "127.0.0.1", port: 25 },
  slackToken: "made when it opens",
};

/**
 * The receivers of a file that listens to public feeds and names nobody: a Slack channel and a mailbox on this machine,
 * which the console shows as Inbox. As people would write them.
 */
function localReceivers(servers: LocalServers = NOT_OPEN): readonly object[] {
  const { slackApiUrl, smtp, slackToken, signingSecret } = servers;
  return [
    {
      ...{ name: "comms", kind: "slack", channel: "#brand-alerts", token: slackToken, apiUrl: slackApiUrl },
      ...(signingSecret === undefined ? {} : { signingSecret }),
      // The local Slack has no rate limit.
      ...{ postEvery: "0s", editEvery: "1s" },
    },
    { name: "mail", kind: "email", to: "you@brand.example", from: "earshot@earshot.local.example", smtp },
  ];
}

/** Every alert goes to the local Slack. */
const LOCAL_ROUTES = [{ receivers: ["comms"] }];

/** Whether messages go to the local inbox. */
export function usesLocalInbox(content: unknown): boolean {
  const file = Object(content);
  return Reflect.get(file, "listen") !== undefined && Reflect.get(file, "receivers") === undefined;
}

/** The content of a file, with the local receivers if it uses them. */
export function withLocalReceivers(content: unknown): unknown {
  if (!usesLocalInbox(content)) return content;
  return { routes: LOCAL_ROUTES, ...Object(content), receivers: localReceivers() };
}

/** The same receivers, with the addresses of the open servers. */
export function openLocalReceivers(servers: LocalServers): readonly ReceiverConfig[] {
  return readReceivers({ receivers: localReceivers(servers) }, []);
}

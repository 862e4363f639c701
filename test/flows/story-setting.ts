import { type Config, parseConfig } from "../../src/admin/config/config.ts";
import type { FakeSlack } from "../fakes/slack.ts";
import type { FakeSmtp } from "../fakes/smtp.ts";
import type { Engine } from "./engines.ts";

export interface StorySetting {
  readonly engine: Engine;
  /** Text of each rule file, by name. */
  readonly rules: Readonly<Record<string, string>>;
  readonly queries?: readonly string[];
  /** When it begins; `09:00` by default. Queries are watched from then on. */
  readonly from?: string;
  /** As in `earshot.yaml`; without it everything goes to the receiver `alerts` (Slack, #alerts). */
  readonly routes?: readonly object[];
  readonly inhibitions?: readonly object[];
  readonly escalations?: readonly object[];
  readonly digests?: readonly object[];
  /** The operators of Earshot itself, and its heartbeat address. */
  readonly operator?: object;
  readonly heartbeat?: object;
  /** Real time between two sweeps that come out of the queue; when absent, a story sweeps only when it settles. */
  readonly sweepEveryMs?: number;
  /** More about the receivers: quiet hours, a throttle (none, when absent). By name. */
  readonly receiverSettings?: Readonly<Record<string, object>>;
  /** What Earshot says to the mail server to be let in; nothing, when absent. */
  readonly mailLogin?: { readonly user: string; readonly password: string };
  /** Poll settings, as in `earshot.yaml`. */
  readonly source?: object;
  /** Slack channels that exist; all, when absent. */
  readonly channels?: readonly string[];
}

/** The processes that call the source. */
export const ACCOUNT = { username: "monitor@acme.example", password: "correct horse battery" };

/** The `earshot.yaml` of a story. */
export function configOf(
  {
    routes,
    digests,
    inhibitions = [],
    escalations = [],
    receiverSettings = {},
    source,
    operator,
    heartbeat,
    mailLogin = {},
  }: Omit<StorySetting, "mailLogin"> & { readonly mailLogin?: object },
  outside: { sourceUrl: string; slack: FakeSlack; smtp: FakeSmtp; rules: string },
): Promise<Config> {
  const slack = (name: string, channel: string) => ({
    name,
    kind: "slack",
    channel,
    token: outside.slack.token,
    apiUrl: outside.slack.apiUrl,
    postEvery: "0s",
    editEvery: "0s",
    throttle: "none",
    ...receiverSettings[name],
  });
  const email = (name: string) => ({
    name,
    kind: "email",
    to: `${name}@acme.example`,
    from: "earshot@acme.example",
    smtp: { host: outside.smtp.host, port: outside.smtp.port, ...mailLogin },
    throttle: "none",
    ...receiverSettings[name],
  });
  return parseConfig({
    source: {
      baseUrl: outside.sourceUrl,
      ...ACCOUNT,
      clientId: "earshot-api-client",
      pollEvery: "5m",
      updatesEvery: "5m",
      history: "1d",
      ...source,
    },
    receivers: [slack("alerts", "#alerts"), slack("crisis", "#crisis"), email("on-call"), email("team")],
    routes: routes ?? [{ receivers: ["alerts"] }],
    inhibitions,
    escalations,
    digests: digests ?? [],
    ...(operator === undefined ? {} : { operator }),
    ...(heartbeat === undefined ? {} : { heartbeat }),
    rules: outside.rules,
    templates: "templates",
  });
}

import { type Config, parseConfig } from "#admin";
import {
  createLocalInbox,
  type InboxMessage,
  LOCAL_ACCOUNT,
  LOCAL_PEOPLE,
  type LocalInbox,
  type LocalSecrets,
} from "#console";
import { createLocalApi, type LocalApiOptions, signingSecret } from "#listening-api";
import { createInboxStore, type Db } from "#monitor";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { openTogether } from "../../lib/closing.ts";
import type { Logger } from "../../lib/log.ts";

/** All outside services of Earshot, as local servers on the loopback address. */
export interface LocalParts {
  readonly apiUrl: string;
  /** The number of calls that the API has answered. */
  calls(): number;
  readonly slackApiUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  readonly secrets: LocalSecrets;
  /** A user clicks a button of a message in the local Slack. */
  press: LocalInbox["press"];
  close(): Promise<void>;
}

/** Starts the Listening API, the Slack and the mailbox. The schemas must be migrated already. */
export async function startLocalParts(options: {
  /** For the Listening API, which has its own tables. */
  pool: LocalApiOptions["pool"];
  /** For the messages of Slack and mailbox. */
  db: Db;
  clock: Clock;
  log: Logger;
  secrets: LocalSecrets;
  /** Where the local Slack posts interactions; null while nothing listens. */
  interactionsUrl?: () => string | null;
}): Promise<LocalParts> {
  const { pool, clock, log, secrets, interactionsUrl } = options;
  return openTogether(async (closing) => {
    const api = createLocalApi({ pool, clock, log, signingSecret: await signingSecret(pool) });
    closing.add(api.close);
    let calls = 0;
    api.app.addHook("onResponse", async () => {
      calls += 1;
    });
    const apiUrl = await api.listen({ host: "127.0.0.1", port: 0 });
    const store = createInboxStore<InboxMessage>(options.db);
    const inbox = await createLocalInbox(
      { store, clock, log },
      {
        token: secrets.slackToken,
        users: Object.fromEntries(LOCAL_PEOPLE.map(({ id, name }) => [id, name])),
        ...(interactionsUrl === undefined
          ? {}
          : {
              interactivity: {
                url: interactionsUrl,
                signingSecret: secrets.signingSecret,
                wall: systemClock,
              },
            }),
      },
    );
    closing.add(inbox.close);
    const { slackApiUrl, smtp, press } = inbox;
    return { apiUrl, calls: () => calls, slackApiUrl, smtp, secrets, press, close: closing.close };
  });
}

/** The configuration of demo and replay: the shipped rules, with notifications to the local Slack and mailbox. */
export function localConfig(
  parts: Pick<LocalParts, "apiUrl" | "slackApiUrl" | "smtp" | "secrets">,
  more: {
    rules: string;
    templates: string;
    pollEvery?: string;
    updatesEvery?: string;
    history?: string;
    lookback?: string;
    timezone?: string;
    /** Whether something listens to the buttons of messages. */
    buttons?: boolean;
    /** Whether there is a second line, of two people in turn, and the night is quiet. */
    team?: boolean;
  },
): Promise<Config> {
  const { timezone = "UTC", team = false } = more;
  const slack = (name: string, channel: string) => ({
    name,
    kind: "slack",
    channel,
    token: parts.secrets.slackToken,
    apiUrl: parts.slackApiUrl,
    ...(more.buttons === true && { signingSecret: parts.secrets.signingSecret }),
    // The local Slack has no rate limit, and its clock runs faster than wall time.
    postEvery: "0s",
    editEvery: "1s",
  });
  const email = (name: string, to: string) => ({
    name,
    kind: "email",
    to,
    from: "earshot@earshot.local.example",
    smtp: parts.smtp,
  });
  return parseConfig({
    source: {
      baseUrl: parts.apiUrl,
      ...LOCAL_ACCOUNT,
      password: parts.secrets.password,
      pollEvery: more.pollEvery ?? "1m",
      updatesEvery: more.updatesEvery ?? "5m",
      history: more.history ?? "3d",
      lookback: more.lookback ?? "30d",
    },
    receivers: [
      { ...slack("comms", "#brand-alerts"), ...(team && { quietHours: [{ timezone, ...NIGHT }] }) },
      slack("crisis", "#crisis"),
      email("on-call", "on-call@brand.example"),
      email("stakeholders", "stakeholders@brand.example"),
      ...(team ? SECOND_LINE.map((name) => email(name, `${name}@brand.example`)) : []),
    ],
    routes: [
      {
        name: "crisis",
        match: { severity: "critical" },
        receivers: ["crisis", "on-call"],
        repeatEvery: "4h",
        continue: true,
      },
      { name: "warnings", match: { severity: "warning" }, receivers: ["comms"], repeatEvery: "12h" },
      // One message about a keyword is enough; its end is no news.
      { name: "notes", receivers: ["comms"], repeatEvery: "never", sendResolved: false },
    ],
    // One crisis is one alert: its message covers the alerts that it causes.
    inhibitions: [
      {
        name: "crisis-first",
        while: { rule: "crisis-spike" },
        mute: { rule: ["volume-spike", "negative-share-surge", "influential-negative", "safety-category"] },
      },
    ],
    ...(team && {
      escalations: [
        {
          name: "nobody-took-it",
          match: { severity: "critical" },
          steps: [{ after: "1h", receivers: ["second-line"] }],
        },
      ],
      rotations: [{ name: "second-line", every: "day", timezone, receivers: SECOND_LINE }],
    }),
    digests: [{ name: "morning-read", at: "08:00", timezone, receivers: ["stakeholders"] }],
    rules: more.rules,
    templates: more.templates,
    timezone,
    retention: "400d",
  });
}

const NIGHT = { from: "22:00", to: "07:00" };
/** Who is notified next if nobody acts, in turn by day. */
const SECOND_LINE = ["ann", "ben"];

/** The same receivers and routes where nobody calls a vendor: for rule tests and backtests without a configuration. */
export function offlineConfig(folders: {
  readonly rules: string;
  readonly templates: string;
}): Promise<Config> {
  const nowhere = "http://127.0.0.1/";
  const secrets = { password: "unused", slackToken: "unused", signingSecret: "unused" };
  const smtp = { host: "127.0.0.1", port: 25 };
  return localConfig({ apiUrl: nowhere, slackApiUrl: nowhere, smtp, secrets }, folders);
}

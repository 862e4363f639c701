import type { Config } from "../config.ts";
import { parseConfig } from "../config.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { MINUTE } from "../lib/instant.ts";
import { createLocalApi, type LocalApiOptions } from "../local-api/create-local-api.ts";
import { createLocalInbox, type LocalInbox } from "../local-inbox/create-local-inbox.ts";
import type { InboxMessage } from "../local-inbox/inbox-store.ts";
import type { Logger } from "../log.ts";
import type { Db } from "../store/database.ts";
import { createInboxStore } from "../store/inbox.ts";
import { LOCAL_ACCOUNT } from "./local-account.ts";

const LOCAL_SLACK_TOKEN = "xoxb-local";
const LOCAL_SIGNING_SECRET = "signs-presses-of-the-local-slack";

/** Who can be given an alert in the local Slack; whoever looks at the page is one more. */
export const LOCAL_PEOPLE = [
  { id: "U0ANN", name: "Ann" },
  { id: "U0BO", name: "Bo" },
  { id: "U0YOU", name: "You" },
] as const;

/** Everything outside that Earshot talks to, as servers of our own on the loopback address. */
export interface LocalParts {
  readonly apiUrl: string;
  /** Calls that the API has answered. */
  calls(): number;
  readonly slackApiUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  /** Somebody uses a button of a message in the local Slack. */
  press: LocalInbox["press"];
  close(): Promise<void>;
}

/** Starts the Listening API, the Slack and the mailbox. The schemas have to be migrated. */
export async function startLocalParts(options: {
  /** For the Listening API, which keeps tables of its own. */
  pool: LocalApiOptions["pool"];
  /** For what Slack and mailbox take. */
  db: Db;
  clock: Clock;
  log: Logger;
  /** Where the local Slack posts presses of buttons; null while nobody listens. */
  interactionsUrl?: () => string | null;
}): Promise<LocalParts> {
  const { pool, clock, log, interactionsUrl } = options;
  return openTogether(async (closing) => {
    const api = createLocalApi({ pool, clock, log, signingSecret: LOCAL_ACCOUNT.password });
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
        token: LOCAL_SLACK_TOKEN,
        users: Object.fromEntries(LOCAL_PEOPLE.map(({ id, name }) => [id, name])),
        ...(interactionsUrl === undefined
          ? {}
          : {
              interactivity: {
                url: interactionsUrl,
                signingSecret: LOCAL_SIGNING_SECRET,
                wall: systemClock,
              },
            }),
      },
    );
    closing.add(inbox.close);
    const { slackApiUrl, smtp, press } = inbox;
    return { apiUrl, calls: () => calls, slackApiUrl, smtp, press, close: closing.close };
  });
}

/** The configuration of demo and replay: the shipped rules, told to the local Slack and mailbox. */
export function localConfig(
  parts: Pick<LocalParts, "apiUrl" | "slackApiUrl" | "smtp">,
  more: {
    rules: string;
    templates: string;
    pollEvery?: string;
    updatesEvery?: string;
    history?: string;
    lookback?: string;
    timezone?: string;
    /** Somebody listens to the buttons of messages. */
    buttons?: boolean;
  },
): Config {
  const slack = (name: string, channel: string) => ({
    name,
    kind: "slack",
    channel,
    token: LOCAL_SLACK_TOKEN,
    apiUrl: parts.slackApiUrl,
    ...(more.buttons === true && { signingSecret: LOCAL_SIGNING_SECRET }),
    // It bears anything, and lives at another pace than people do.
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
      pollEvery: more.pollEvery ?? "1m",
      updatesEvery: more.updatesEvery ?? "5m",
      history: more.history ?? "3d",
      lookback: more.lookback ?? "30d",
    },
    receivers: [
      slack("comms", "#brand-alerts"),
      slack("crisis", "#crisis"),
      email("on-call", "on-call@brand.example"),
      email("stakeholders", "stakeholders@brand.example"),
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
      // A keyword in a single mention is read once; that it stayed the only one is no news.
      { name: "notes", receivers: ["comms"], repeatEvery: "never", sendResolved: false },
    ],
    digests: [
      { name: "morning-read", at: "08:00", timezone: more.timezone ?? "UTC", receivers: ["stakeholders"] },
    ],
    // The page says where it really is when it opens; presses come from this machine.
    ...(more.buttons === true && { web: { publicUrl: "http://127.0.0.1" } }),
    rules: more.rules,
    templates: more.templates,
    timezone: more.timezone ?? "UTC",
    retention: "400d",
  });
}

/** Sweeps follow the clock: often enough for its pace, seldom enough for the machine. */
export function sweepEveryMs(clock: Clock): number | null {
  if (clock.speed === 0) return null;
  return Math.min(1_000, Math.max(100, Math.round(MINUTE / 4 / clock.speed)));
}

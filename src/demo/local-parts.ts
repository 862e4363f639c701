import { type Clock, systemClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { createLocalApi, type LocalApiOptions } from "../local-api/create-local-api.ts";
import { signingSecret } from "../local-api/store/settings.ts";
import type { Logger } from "../log.ts";
import type { Db } from "../store/database.ts";
import { createInboxStore } from "../store/inbox.ts";
import { createLocalInbox, type LocalInbox } from "./inbox/create-local-inbox.ts";
import type { InboxMessage } from "./inbox/inbox-store.ts";
import type { LocalSecrets } from "./local-account.ts";

/** The users of the local Slack, in addition to the reader of the console. */
export const LOCAL_PEOPLE = [
  { id: "U0ANN", name: "Ann" },
  { id: "U0BO", name: "Bo" },
  { id: "U0YOU", name: "You" },
] as const;

/** All outside services of Earshot, as local servers on the loopback address. */
export interface LocalParts {
  readonly apiUrl: string;
  /** The number of calls that the API has answered. */
  calls(): number;
  readonly slackApiUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  readonly secrets: LocalSecrets;
  /** A user clicks a button of a message in the local Slack. */
  interaction: LocalInbox["press"];
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
    const { slackApiUrl, smtp, press: interaction } = inbox;
    return { apiUrl, calls: () => calls, slackApiUrl, smtp, secrets, interaction, close: closing.close };
  });
}

import type { Command } from "commander";
import { systemClock } from "../../../lib/clock.ts";
import { createClientAccount } from "../../../local-api/account/create-account.ts";
import { collectPairs } from "../flags.ts";
import { printOutcome } from "../print.ts";
import { withTables } from "../with-tables.ts";

export function addClient(create: Command, env: NodeJS.ProcessEnv): void {
  create
    .command("client <name>")
    .description("The billed entity that users and projects belong to.")
    .option("--rate-limit <calls/minutes>", "calls in any rolling period, such as 600/10 (default: no limit)")
    .option("--tag <key=value>", "a tag of the client record; repeat it for more", collectPairs, {})
    .option(
      "--detail <field=value>",
      "a field of the client record, such as website=acme.example",
      collectPairs,
      {},
    )
    .option("--json", "answer as JSON", false)
    .action(
      (
        name: string,
        options: {
          rateLimit?: string;
          tag: Readonly<Record<string, string>>;
          detail: Readonly<Record<string, string>>;
          json: boolean;
        },
      ) =>
        withTables(env, async ({ db }) => {
          const { rateLimit, tag: tags, detail: details } = options;
          const at = systemClock.now();
          const limit = rateLimit === undefined ? {} : { rateLimit };
          const made = await createClientAccount(db, { name, ...limit, tags, details, at });
          printOutcome(made, `Client ${made.id}, ${JSON.stringify(name)}.`, options);
        }),
    );
}

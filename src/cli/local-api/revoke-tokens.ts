import type { Command } from "commander";
import { revoke } from "#listening-api";
import { counted } from "../../lib/numbers.ts";
import { printOutcome } from "../common/print-rows.ts";
import { withTables } from "./with-tables.ts";

export function addLocalRevoke(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("revoke-tokens [username]")
    .description("Revokes tokens at once: calls with them get 401.")
    .option("--client <client>", "of this client, or of the login in this client")
    .option("--json", "answer as JSON", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot local-api revoke-tokens ann@acme.example
  earshot local-api revoke-tokens --client Acme`,
    )
    .action((user: string | undefined, options: { client?: string; json: boolean }) =>
      withTables(env, async ({ db }) => {
        const { client } = options;
        const revoked = await revoke(db, { user, client });
        printOutcome({ revoked }, `${counted(revoked, "token")} revoked.`, options);
      }),
    );
}

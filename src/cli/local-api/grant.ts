import { type Command, Option } from "commander";
import { counted } from "../../lib/counted.ts";
import { ROLES } from "../../local-api/account/create-account.ts";
import { grant, revoke } from "../../local-api/account/grant.ts";
import { printOutcome } from "./print.ts";
import { withTables } from "./with-tables.ts";

export function addLocalGrant(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("grant <username>")
    .description("Gives a login access to a client, or changes its role.")
    .requiredOption("--client <client>", "name or id")
    .addOption(
      new Option("--role <role>", "only Admin and Regular may use the API")
        .choices([...ROLES])
        .default("Regular"),
    )
    .option("--remove", "puts the login out of the client, and takes back its tokens there", false)
    .option("--json", "answer as JSON", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot local-api grant ann@acme.example --client "Acme France" --role Admin
  earshot local-api grant ann@acme.example --client Acme --role Viewer      from now on refused by the API
  earshot local-api grant ann@acme.example --client Acme --remove

A login of several clients has to say platform_client_id when it asks for a token.`,
    )
    .action((user: string, options: { client: string; role: string; remove: boolean; json: boolean }) =>
      withTables(env, async ({ db }) => {
        const outcome = await grant(db, { user, ...options });
        const { role, client } = outcome;
        const said = role === null ? `is no longer in ${client}` : `is ${role} of ${client}`;
        printOutcome(outcome, `${outcome.user} ${said}.`, options);
      }),
    );
}

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
        const revoked = await revoke(db, {
          ...(user === undefined ? {} : { user }),
          ...(client === undefined ? {} : { client }),
        });
        printOutcome({ revoked }, `${counted(revoked, "token")} revoked.`, options);
      }),
    );
}

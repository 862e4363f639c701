import { type Command, Option } from "commander";
import { DateTime } from "luxon";
import { UserError } from "../../../lib/errors.ts";
import { pick } from "../../../local-api/account/pick.ts";
import { DATA_POLICIES } from "../../../local-api/policy/data-policy.ts";
import { listClients } from "../../../local-api/store/clients.ts";
import { putProject } from "../../../local-api/store/projects.ts";
import { printOutcome } from "../print.ts";
import { withTables } from "../with-tables.ts";

interface ProjectOptions {
  readonly client: string;
  readonly timezone: string;
  readonly description: string;
  readonly language: string;
  readonly dataPolicy?: string;
  readonly json: boolean;
}

export function addProject(create: Command, env: NodeJS.ProcessEnv): void {
  create
    .command("project <name>")
    .description("Holds queries, categories and mentions.")
    .requiredOption("--client <client>", "the client that it belongs to")
    .option("--timezone <zone>", "IANA zone in which plain dates are meant", "Etc/UTC")
    .option("--description <text>", "a sentence about it", "")
    .option("--language <code>", "default language", "en")
    .addOption(
      new Option("--data-policy <name>", "what of each source is shown").choices(Object.keys(DATA_POLICIES)),
    )
    .option("--json", "answer as JSON", false)
    .action((name: string, options: ProjectOptions) =>
      withTables(env, async ({ db }) => {
        const { timezone, description, language: defaultLanguage, dataPolicy = null } = options;
        if (!DateTime.utc().setZone(timezone).isValid)
          throw new UserError(`--timezone ${timezone}: expected an IANA zone such as Europe/Berlin.`);
        const client = pick("client", await listClients(db), options.client);
        const id = await putProject(db, {
          clientId: client.id,
          name,
          description,
          timezone,
          defaultLanguage,
          dataPolicy,
        });
        const made = { id, name, client: client.name, timezone };
        printOutcome(made, `Project ${id}, ${JSON.stringify(name)} of ${client.name}.`, options);
      }),
    );
}

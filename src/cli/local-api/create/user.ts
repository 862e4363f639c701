import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { type Command, Option } from "commander";
import { systemClock } from "../../../lib/clock.ts";
import { UserError } from "../../../lib/errors.ts";
import { createUserAccount, ROLES } from "../../../local-api/account/create-account.ts";
import { toSeconds } from "../flags.ts";
import { printOutcome } from "../print.ts";
import { withTables } from "../with-tables.ts";

interface UserOptions {
  readonly client: string;
  readonly role: string;
  readonly passwordFile?: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly tokenLifetime?: number;
  readonly json: boolean;
}

export function addUser(create: Command, env: NodeJS.ProcessEnv): void {
  create
    .command("user <username>")
    .description("A login. Without --password-file a password is invented and printed, this once.")
    .requiredOption("--client <client>", "the client that it belongs to; grant adds others")
    .addOption(
      new Option("--role <role>", "only Admin and Regular may use the API")
        .choices([...ROLES])
        .default("Admin"),
    )
    .option("--password-file <file>", "its first line is the password; - reads standard input")
    .option("--first-name <name>", "first name", "")
    .option("--last-name <name>", "last name", "")
    .option("--token-lifetime <duration>", "of its tokens, such as 1h (default: a year)", toSeconds)
    .option("--json", "answer as JSON", false)
    .action((username: string, options: UserOptions) =>
      withTables(env, async ({ db }) => {
        const { client, role, passwordFile, firstName, lastName, tokenLifetime } = options;
        const made = await createUserAccount(db, {
          username,
          client,
          role,
          firstName,
          lastName,
          at: systemClock.now(),
          ...(passwordFile === undefined ? {} : { password: await readPassword(passwordFile) }),
          ...(tokenLifetime === undefined ? {} : { tokenLifetimeSeconds: tokenLifetime }),
        });
        const { inventedPassword, ...record } = made;
        printOutcome(
          inventedPassword === null ? record : { ...record, password: inventedPassword },
          `Login ${made.id}, ${username}, ${role} of ${made.client}.${inventedPassword === null ? "" : `\nPassword: ${inventedPassword}`}`,
          options,
        );
      }),
    );
}

async function readPassword(file: string): Promise<string> {
  const content =
    file === "-" ? await readAll(process.stdin) : await readFile(file, "utf8").catch(() => null);
  if (content === null) throw new UserError(`--password-file ${file}: the file cannot be read.`);
  const password = content.split(/\r?\n/, 1)[0] ?? "";
  if (password === "") throw new UserError(`--password-file ${file}: the first line is empty.`);
  return password;
}

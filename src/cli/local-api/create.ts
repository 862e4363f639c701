import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { type Command, Option } from "commander";
import { DateTime } from "luxon";
import { systemClock } from "../../lib/clock.ts";
import { UserError } from "../../lib/errors.ts";
import { createClientAccount, createUserAccount, ROLES } from "../../local-api/desk/create-account.ts";
import { createList, createQueryGroup } from "../../local-api/desk/create-in-project.ts";
import { findProject } from "../../local-api/desk/find-project.ts";
import { pick } from "../../local-api/desk/pick.ts";
import { DATA_POLICIES } from "../../local-api/policy/data-policy.ts";
import { QueryTextError } from "../../local-api/query-language/query-text-error.ts";
import { putCategory } from "../../local-api/store/categories.ts";
import { listClients } from "../../local-api/store/clients.ts";
import { putProject } from "../../local-api/store/projects.ts";
import { putQueries, QUERY_TYPES, type QueryType } from "../../local-api/store/queries.ts";
import { putTag } from "../../local-api/store/tags.ts";
import { collect, collectPairs, toPercentage, toSeconds } from "./flags.ts";
import { printOutcome } from "./print.ts";
import { withTables } from "./with-tables.ts";

interface InProject {
  readonly project?: string;
  readonly client?: string;
  readonly json: boolean;
}

export function addLocalCreate(group: Command, env: NodeJS.ProcessEnv): void {
  const create = group
    .command("create")
    .description("Makes a client, login, project, query, query group, category, tag or list.")
    .addHelpText("after", HELP);
  addClient(create, env);
  addUser(create, env);
  addProject(create, env);
  addQuery(create, env);
  addQueryGroup(create, env);
  addCategory(create, env);
  addTag(create, env);
  addList(create, env, "site", "domains, or domains with a path");
  addList(create, env, "author", "names of authors");
  addList(create, env, "location", "ids of locations");
}

const HELP = `
Examples:
  earshot local-api create client Acme --rate-limit 30/10
  earshot local-api create user ann@acme.example --client Acme --role Regular --password-file ann.txt
  earshot local-api create project Brands --client Acme --timezone Europe/Berlin
  earshot local-api create query "Acme complaints" --text "acme NEAR/5 (broken OR refund)" --project Brands
  earshot local-api create query-group "All of Acme" --query "Acme complaints" --query Acme
  earshot local-api create category Topics --child Price --child Safety
  earshot local-api create tag answered
  earshot local-api create site-list Press --entry news.example --entry blog.example/acme

A client or login that exists is an error; everything else is made where it is missing, and completed where it is not.
--project may be left out where there is only one.`;

function addClient(create: Command, env: NodeJS.ProcessEnv): void {
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

interface UserOptions {
  readonly client: string;
  readonly role: string;
  readonly passwordFile?: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly tokenLifetime?: number;
  readonly json: boolean;
}

function addUser(create: Command, env: NodeJS.ProcessEnv): void {
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

interface ProjectOptions {
  readonly client: string;
  readonly timezone: string;
  readonly description: string;
  readonly language: string;
  readonly dataPolicy?: string;
  readonly json: boolean;
}

function addProject(create: Command, env: NodeJS.ProcessEnv): void {
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

function inProject(command: Command): Command {
  return command
    .option("--project <project>", "name or id (default: the only one)")
    .option("--client <client>", "where names of projects repeat")
    .option("--json", "answer as JSON", false);
}

function addQuery(create: Command, env: NodeJS.ProcessEnv): void {
  inProject(create.command("query <name>").description("A saved search or channel; mentions stand in it."))
    .addOption(
      new Option("--type <type>", "kind of query").choices([...QUERY_TYPES]).default("search string"),
    )
    .option("--text <boolean>", "what it searches, such as '(acme OR \"acme corp\") NOT jobs'")
    .option("--sample <percentage>", "keep only this share of its mentions, from 1 to 100", toPercentage)
    .action((name: string, options: InProject & { type: QueryType; text?: string; sample?: number }) =>
      withTables(env, async ({ db }) => {
        const project = await findProject(db, options);
        const by = { username: "earshot", at: systemClock.now() };
        const { type, text, sample } = options;
        const query = {
          name,
          type,
          ...(text === undefined ? {} : { text }),
          ...(sample === undefined ? {} : { samplePercentage: sample }),
        };
        const ids = await putQueries(db, project.id, [query], by).catch(explainText);
        const made = { id: ids.get(name), name, type: options.type, project: project.name };
        printOutcome(made, `Query ${made.id}, ${JSON.stringify(name)}.`, options);
      }),
    );
}

/** Where in the text something is wrong, and what to write instead. */
function explainText(error: unknown): never {
  if (!(error instanceof QueryTextError)) throw error;
  throw new UserError(
    "--text is no query that can be used.",
    error.problems.map(({ start, message }) => `character ${start + 1}: ${message}`),
  );
}

function addQueryGroup(create: Command, env: NodeJS.ProcessEnv): void {
  inProject(create.command("query-group <name>").description("Queries that can be asked for together."))
    .requiredOption("--query <query>", "a query of the project; repeat it for more", collect)
    .option("--user <username>", "its owner (default: the first login of the client)")
    .action((name: string, options: InProject & { query: readonly string[]; user?: string }) =>
      withTables(env, async ({ db }) => {
        const project = await findProject(db, options);
        const owner = options.user === undefined ? {} : { user: options.user };
        const made = await createQueryGroup(db, project, { name, queries: options.query, ...owner });
        printOutcome(
          made,
          `Query group ${made.id}, ${JSON.stringify(name)}: ${made.queries.join(", ")}.`,
          options,
        );
      }),
    );
}

function addCategory(create: Command, env: NodeJS.ProcessEnv): void {
  inProject(create.command("category <name>").description("A parent category with its subcategories."))
    .option("--child <name>", "a subcategory; repeat it for more", collect, [])
    .action((name: string, options: InProject & { child: readonly string[] }) =>
      withTables(env, async ({ db }) => {
        const project = await findProject(db, options);
        const made = await putCategory(db, project.id, { name, children: options.child });
        const children = made.children.map((child) => `${child.id} ${child.name}`).join(", ");
        printOutcome(
          made,
          `Category ${made.id}, ${JSON.stringify(name)}: ${children || "no subcategories"}.`,
          options,
        );
      }),
    );
}

function addTag(create: Command, env: NodeJS.ProcessEnv): void {
  inProject(create.command("tag <name>").description("A label for mentions.")).action(
    (name: string, options: InProject) =>
      withTables(env, async ({ db }) => {
        const project = await findProject(db, options);
        const id = await putTag(db, project.id, name);
        printOutcome({ id, name }, `Tag ${id}, ${JSON.stringify(name)}.`, options);
      }),
  );
}

function addList(
  create: Command,
  env: NodeJS.ProcessEnv,
  kind: "site" | "author" | "location",
  what: string,
): void {
  inProject(
    create
      .command(`${kind}-list <name>`)
      .description(`A saved list of ${what}; one of that name is replaced.`),
  )
    .requiredOption("--entry <text>", "one of them; repeat it for more", collect)
    .option("--user <username>", "its owner (default: the first login of the client)")
    .action((name: string, options: InProject & { entry: readonly string[]; user?: string }) =>
      withTables(env, async ({ db }) => {
        const project = await findProject(db, options);
        const owner = options.user === undefined ? {} : { user: options.user };
        const made = await createList(db, project, { kind, name, entries: options.entry, ...owner });
        printOutcome(made, `List ${made.id}, ${JSON.stringify(name)}: ${made.entries.join(", ")}.`, options);
      }),
    );
}

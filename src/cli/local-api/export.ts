import type { Command } from "commander";
import { exportMentions, findProject, listQueries, pick } from "#listening-api";
import { systemClock } from "../../lib/clock.ts";
import type { Instant } from "../../lib/instant.ts";
import { printError, printLines } from "../common/print.ts";
import { collect, toMoment } from "./flags.ts";
import { withTables } from "./with-tables.ts";

interface ExportOptions {
  readonly project?: string;
  readonly client?: string;
  readonly query: readonly string[];
  readonly from?: Instant;
  readonly to?: Instant;
}

export function addLocalExport(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("export")
    .description("Writes the mentions of a project as JSON Lines, which import reads again.")
    .option("--project <project>", "name or id (default: the only one)")
    .option("--client <client>", "where names of projects repeat")
    .option("--query <query>", "name or id, repeated for several (default: all of the project)", collect, [])
    .option("--from <moment>", "only mentions dated then or later", toMoment)
    .option("--to <moment>", "only mentions dated before", toMoment)
    .addHelpText(
      "after",
      `
Examples:
  earshot local-api export --project Brands > brands.jsonl
  earshot local-api export --query Acme --from 2026-03-01 --to 2026-04-01 | gzip > march.jsonl.gz
  earshot local-api import brands.jsonl --project Copy`,
    )
    .action((options: ExportOptions) =>
      withTables(env, async ({ db }) => {
        const project = await findProject(db, options);
        const known = await listQueries(db, project.id);
        const chosen =
          options.query.length === 0 ? known : options.query.map((name) => pick("query", known, name));
        const at = systemClock.now();
        let written = 0;
        const { from = Date.UTC(0, 0), to = at + FAR } = options;
        const which = { queryIds: chosen.map(({ id }) => id), from, to, at };
        for await (const lines of exportMentions(db, which)) {
          await printLines(lines);
          written += lines.length;
          if (process.stderr.isTTY)
            process.stderr.write(`\r\u001b[K${written.toLocaleString("en")} mentions`);
        }
        if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
        printError(`${written} mentions written.`);
      }),
    );
}

/** Mentions may carry dates in the future. */
const FAR = 100 * 365 * 86_400_000;

import { stat } from "node:fs/promises";
import { type Command, Option } from "commander";
import { findProject, IMPORT_FIELDS, type ImportResult, importMentions, PAGE_TYPES } from "#listening-api";
import { systemClock } from "../../lib/clock.ts";
import { UserError } from "../../lib/errors.ts";
import { toIso } from "../../lib/instant.ts";
import { isNamedZone } from "../../lib/local-time.ts";
import { stopSignal } from "../../lib/stop-signal.ts";
import { print, printError } from "../common/print.ts";
import { collectPairs } from "./flags.ts";
import { withTables } from "./with-tables.ts";

interface ImportOptions {
  readonly project?: string;
  readonly client?: string;
  readonly query?: string;
  readonly map: Readonly<Record<string, string>>;
  readonly format?: "jsonl" | "csv";
  readonly timezone?: string;
  readonly dateFormat?: string;
  readonly pageType?: string;
  readonly now: boolean;
  readonly json: boolean;
}

export function addLocalImport(group: Command, env: NodeJS.ProcessEnv): void {
  group
    .command("import <file>")
    .description(
      "Reads mentions from JSON Lines or CSV into a project; a second import stores nothing twice.",
    )
    .option("--project <project>", "name or id (default: the only one)")
    .option("--client <client>", "where names of projects repeat")
    .option(
      "--query <name>",
      "every mention goes into this query (default: the one that a line names as brand, else all whose text matches)",
    )
    .option("--map <field=column>", "of a CSV file: which column is which field; repeat it", collectPairs, {})
    .addOption(new Option("--format <format>", "if the file name does not show it").choices(["jsonl", "csv"]))
    .option("--timezone <zone>", "of a CSV file: IANA zone of dates without an offset (default: UTC)")
    .option("--date-format <format>", "of a CSV file: such as dd.MM.yyyy HH:mm, in the signs of Luxon")
    .addOption(
      new Option(
        "--page-type <type>",
        "of mentions whose lines have neither a type nor an address (default: general, or twitter for lines with fields that only X has)",
      ).choices([...PAGE_TYPES]),
    )
    .option(
      "--now",
      "the mentions are added now, as when the service finds old ones; their dates stay",
      false,
    )
    .option("--json", "answer as JSON", false)
    .addHelpText("after", HELP)
    .action((file: string, options: ImportOptions) => runImport(file, options, env));
}

const HELP = `
Examples:
  earshot local-api import mentions.jsonl --project Brands
  earshot local-api import tweets.csv --query Acme --map text=tweet --map date=created_at --map author=user
  earshot local-api import export.csv --date-format "dd.MM.yyyy HH:mm" --timezone Europe/Berlin

A line of JSON Lines is an object with id, text, date and perhaps brand, its query. Most fields of the wire record may
be added, so an export of the mentions of another Listening API can be imported, too. The first line of a CSV file
names its columns; columns that are called like a field, or as such columns often are, need no --map. Fields:
${wrapped(IMPORT_FIELDS)}
Lines that are no mention are reported on standard error with the reason; the others are imported.`;

function wrapped(words: readonly string[]): string {
  return words.join(", ").replaceAll(/(.{1,112})(?: |$)/g, "  $1\n");
}

async function runImport(file: string, options: ImportOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const { size } = await stat(file).catch(() => {
    throw new UserError(`${file} cannot be read.`);
  });
  const signal = stopSignal(() =>
    printError("\nStopping; what was read is stored, and the same command goes on from there."),
  );
  const result = await withTables(env, async ({ db, pool }) => {
    const project = await findProject(db, options);
    return importMentions({
      pool,
      path: file,
      projectId: project.id,
      signal,
      now: systemClock.now(),
      onResume: (line) => printError(`Goes on after line ${line}, where it was cut off.`),
      onProgress: createProgress(process.stderr, size),
      format: formatOf(file, options),
      query: options.query,
      pageType: options.pageType,
      ...(options.now ? { arriveAt: systemClock.now } : {}),
    });
  });
  for (const { line, reason } of result.skipped) printError(`${file}:${line} is left out: ${reason}`);
  const unreported = result.skippedTotal - result.skipped.length;
  if (unreported > 0) printError(`… and ${unreported} more lines`);
  printResult(file, result, options);
}

function formatOf(file: string, options: ImportOptions) {
  const { map: columns, timezone, dateFormat } = options;
  const kind = options.format ?? (/\.(csv|tsv|txt)$/i.test(file) ? ("csv" as const) : ("jsonl" as const));
  const isMapped = Object.keys(columns).length > 0 || timezone !== undefined || dateFormat !== undefined;
  if (kind === "jsonl" && isMapped)
    throw new UserError("--map, --timezone and --date-format go with CSV files.", [
      "--format csv, if it is one",
    ]);
  if (timezone !== undefined && !isNamedZone(timezone))
    throw new UserError(`--timezone ${timezone}: expected a name such as Europe/Berlin`);
  const dates = { timezone, format: dateFormat };
  return { kind, columns, dates };
}

function printResult(file: string, result: ImportResult, { json }: ImportOptions): void {
  const { imported, alreadyThere, unmatched, skippedTotal, from, to } = result;
  const { sampledOut, notYetShown, unusedFields } = result;
  const queries = [...result.queries].map(([name, { id, mentions }]) => ({ id, name, mentions }));
  if (json) {
    const range = { from: from === null ? null : toIso(from), to: to === null ? null : toIso(to) };
    print(
      JSON.stringify({
        imported,
        alreadyThere,
        unmatched,
        sampledOut,
        notYetShown,
        unusedFields,
        leftOut: skippedTotal,
        ...range,
        queries,
        skipped: result.skipped,
      }),
    );
  } else {
    print(`${imported} imported, ${alreadyThere} there already, ${skippedTotal} left out.`);
    if (unmatched > 0) print(`${unmatched} name no query and match none: they are not stored.`);
    if (sampledOut > 0) print(`${sampledOut} are not in the sample of their query: they are not stored.`);
    if (notYetShown > 0)
      print(`${notYetShown} are dated later than now: they are shown when their time comes.`);
    if (unusedFields.length > 0) print(`Not used: ${unusedFields.join(", ")}.`);
    if (from !== null && to !== null) print(`Dates: ${toIso(from)} to ${toIso(to)}.`);
    for (const { id, name, mentions } of queries) print(`  ${id} ${name}: ${mentions}`);
  }
  if (imported + alreadyThere + unmatched + sampledOut === 0)
    throw new UserError(`${file} holds no mention that could be read.`, [
      "earshot local-api import --help shows the form",
    ]);
}

/** Shows progress on one line of a terminal; nothing in a pipe. */
function createProgress(stream: NodeJS.WriteStream, size: number) {
  if (!stream.isTTY) return () => {};
  return ({ linesRead, bytesRead }: { linesRead: number; bytesRead: number }): void => {
    const share = size === 0 ? 100 : Math.floor((bytesRead / size) * 100);
    stream.write(
      `\r\u001b[K${linesRead.toLocaleString("en")} lines, ${share} %${share >= 100 ? "\r\u001b[K" : ""}`,
    );
  };
}

import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, Option } from "commander";
import pg from "pg";
import { databaseAt } from "../database-at.ts";
import { formatFindings, judge } from "./judge.ts";
import { formatMessages } from "./message-table.ts";
import { airlines, hasAirlines } from "./plays/airlines.ts";
import { demo } from "./plays/demo.ts";
import { drawnWorld } from "./plays/drawn.ts";
import { createLog, openScratchPostgres } from "./plays/earshot.ts";
import { awayWorld, brandsWorld, generated, moodWorld, smallWorld } from "./plays/generated.ts";
import { type Play, type PlayResult, play } from "./plays/play.ts";
import { playRuleTests } from "./plays/rule-tests.ts";
import { MINUTE } from "./world.ts";

const WORLDS = [
  "small",
  "mood",
  "away",
  "brands",
  "generated",
  "drawn",
  "rule-tests",
  "demo",
  "airlines",
] as const;

const program = new Command("oracle")
  .description(
    "Reads every message of a replay as its vendor got it, recounts every number in it from the mentions, and opens every link. Knows nothing of the product: what judges imports no file of src.",
  )
  .addOption(
    new Option("--world <names...>", "what is played").choices(WORLDS).default(["small", "rule-tests"]),
  )
  .option(
    "--file <path>",
    "the mentions of the world airlines, instead of the shared ones: JSON Lines with a brand",
  )
  .option("--from <day>", "of the worlds airlines and demo: where the clock starts, such as 2015-02-20")
  .option("--to <day>", "of the worlds airlines and demo: where it ends")
  .option("--timezone <zone>", "of the world airlines", "UTC")
  .option("--minutes <number>", "ends a play after so long, and judges what was played", Number, 240)
  .option("--only <text>", "of the rule tests, those with this in their name", "")
  .option("--seed <number>", "of the worlds small, mood, away, brands, generated, drawn and demo", Number)
  .option("--save <folder>", "writes each recording, to be judged again with --recording")
  .option("--recording <file>", "judges a saved recording, and plays nothing")
  .option(
    "--messages [receiver]",
    "also prints how many messages each receiver got on each day, and those of the named one as they are read",
  )
  .option("--json", "prints the findings as JSON")
  .addHelpText(
    "after",
    `
Examples:
  npm run oracle -- --world generated
  npm run oracle -- --world airlines demo --save recordings
  npm run oracle -- --recording recordings/demo.json
  npm run oracle -- --recording recordings/demo.json --messages brand-alerts

Exit codes: 0 nothing is wrong, 1 a number is false or unexplained, or a link is dead, 2 it could not be played.`,
  );

interface Options {
  readonly world: readonly (typeof WORLDS)[number][];
  readonly file?: string;
  readonly from?: string;
  readonly to?: string;
  readonly timezone: string;
  readonly minutes: number;
  readonly only: string;
  readonly seed?: number;
  readonly save?: string;
  readonly recording?: string;
  /** True: the table alone. */
  readonly messages?: string | true;
  readonly json?: boolean;
}

async function main(options: Options): Promise<number> {
  if (options.recording !== undefined)
    return report(JSON.parse(await readFile(options.recording, "utf8")) as PlayResult, options);
  const home = await mkdtemp(join(tmpdir(), "oracle-"));
  const postgres = await openScratchPostgres(
    { databaseUrl: process.env["DATABASE_URL"] ?? null, home },
    createLog({ level: "silent" }),
  );
  try {
    let found = 0;
    for (const world of options.world) {
      if (world === "airlines" && options.file === undefined && !hasAirlines()) {
        process.stderr.write("airlines: not played, ../shared/data/airline-tweets.jsonl is absent\n");
        continue;
      }
      const all =
        world === "rule-tests"
          ? await playRuleTests({ serverUrl: postgres.url, only: options.only })
          : [await playOn(postgres.url, planOf(world, options), options.minutes)];
      for (const played of all) {
        if (options.save !== undefined)
          await writeFile(
            join(options.save, `${played.world.name.replaceAll(" ", "-")}.json`),
            JSON.stringify(played),
          );
        found += await report(played, options);
      }
    }
    return found === 0 ? 0 : 1;
  } finally {
    await postgres.stop();
    // Of root its files are elsewhere.
    const elsewhere = await readFile(join(home, "scratch.location"), "utf8").catch(() => null);
    for (const folder of [home, elsewhere?.trim()])
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

function planOf(world: Exclude<(typeof WORLDS)[number], "rule-tests">, { seed, ...options }: Options): Play {
  return {
    ...{ small: () => smallWorld(seed), mood: () => moodWorld(seed), away: () => awayWorld(seed) },
    brands: () => brandsWorld(seed),
    ...{ generated: () => generated(seed), drawn: () => drawnWorld(seed ?? 1) },
    ...{
      demo: () => demo({ ...options, ...(seed !== undefined && { seed }) }),
      airlines: () => airlines(options),
    },
  }[world]();
}

async function playOn(server: string, plan: Play, minutes: number): Promise<PlayResult> {
  const name = `oracle_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  try {
    const { isTTY } = process.stderr;
    const endsAt = Date.now() + minutes * MINUTE;
    return await play({ databaseUrl: databaseAt(server, name) }, plan, (now) => {
      const shown = `${plan.name} ${new Date(now).toISOString().slice(0, 16)}`;
      if (isTTY) process.stderr.write(`\r${shown} `);
      const goesOn = Date.now() < endsAt;
      if (!goesOn) process.stderr.write(`${shown}: ended after ${minutes} minutes\n`);
      return goesOn;
    });
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
}

async function report({ world, recording }: PlayResult, { json, messages: only }: Options): Promise<number> {
  if (only !== undefined) {
    const lines = await formatMessages(world, recording, only === true ? null : only);
    process.stdout.write(`${lines.join("\n")}\n`);
  }
  const { findings, recounted, messages, links } = await judge(world, recording);
  if (json) {
    process.stdout.write(`${JSON.stringify({ world: world.name, findings, recounted: [...recounted] })}\n`);
    return findings.length;
  }
  const numbers = [...recounted.values()].reduce((sum, count) => sum + count, 0);
  if (findings.length > 0) process.stdout.write(`${formatFindings(findings, world.timezone)}\n`);
  const count = (kind: string) => findings.filter((one) => one.kind === kind).length;
  process.stdout.write(
    `${world.name}: ${messages} messages, ${numbers} statements recounted, ${links} links opened: ` +
      `${count("false")} false, ${count("unexplained")} unexplained, ${count("dead link")} dead links, ` +
      `${count("after the end")} after the end\n`,
  );
  return findings.length;
}

program.action(async (options: Options) => {
  process.exitCode = await main(options);
});
await program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`oracle: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(2);
});

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createRandom } from "../../src/listening-api/simulate/random.ts";
import { projectsOf } from "../projects.ts";
import { changesOf, movedConstants } from "./changes.ts";
import { findCompiling } from "./compiles.ts";
import { readEquivalents } from "./equivalents.ts";
import { findMutants, type Mutant, type MutatedFile } from "./find-mutants.ts";
import { openPlayer } from "./play.ts";
import { sqlChanges } from "./sql-changes.ts";
import { testsOf } from "./tests-of.ts";
import { type Fate, type TriedMutants, tryMutants } from "./try-mutants.ts";

const HELP = `npm run mutants -- [options]

Changes one small thing at a time in what decides: a condition, a boundary, an operator, a number, a text, a call that is
left out. A unit test of its room, of the monitor or of its configuration has to fail. Prints the changes that no test
noticed, and the score of each folder.

Files with an await act, and are left to other checks, unless --file and --tests name them. Changes that do not compile do not count, and neither do those
that test/mutants/equivalent.yaml names.

  --folder PATH   only this folder of src (several times); default: all eight
  --file TEXT     only files whose path has this text (several times)
  --tests TEXT    only tests whose path has this text (several times), those with a database and the thorough ones, too
  --constants     instead: each constant of the spike detector moved by 12 %
  --sql           instead: in each statement of the stores one condition, lock, "skip locked" or "on conflict" less, and
                  "<" for "<="; the tests with a database have to notice
  --share N       one of N mutants, chosen by the seed
  --seed S        (1)
  --quick         leave out those that need a process of their own: constants, and what files prepare for their tests
  --killed        print the killed ones, too, and by what
  --json          print what lived as data

Ends with 1 when fewer than 90 of 100 were killed (for a share: so few that a score of 90 % has it less than once in 1,000
times), or when a mutant that is named as equivalent was killed or is gone.
`;

const ROOT = join(import.meta.dirname, "..", "..");

/** What decides whether somebody is notified, when, and with which numbers. */
const FOLDERS = [
  "notify/decide",
  "alerts",
  "incidents",
  "polling",
  "ingest",
  "rules/spike",
  "rules/conditions",
  "digest",
].map((folder) => `monitor/${folder}`);

const STORES = ["monitor/store", "listening-api/store"];

/** What notices a constant that was moved. */
const LABELLED = "test/monitor/rules/spike/labelled-series.test.ts";

const WANTED_SCORE = 0.9;

async function main(): Promise<number> {
  const options = {
    folder: { type: "string", multiple: true },
    file: { type: "string", multiple: true },
    tests: { type: "string", multiple: true },
    constants: { type: "boolean", default: false },
    sql: { type: "boolean", default: false },
    share: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    quick: { type: "boolean", default: false },
    killed: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ options });
  if (values.help) return print(HELP);
  const startedAt = monotonicMs();
  const say = (text: string) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${text}\x1b[K`);
  };
  const equivalents = readEquivalents(join(import.meta.dirname, "equivalent.yaml"));
  const random = createRandom("mutants", Number(values.seed));
  // With a database a test sees what a file does.
  const isWithActing = values.sql || (values.file !== undefined && values.tests !== undefined);
  const share = Number(values.share);
  const folders = foldersOf(values).map((one) => one.replace(/\/$/, ""));
  const isIn = (folder: string, file: string) => file.startsWith(`src/${folder}/`);
  const all = findMutants(
    ROOT,
    (file) =>
      folders.some((folder) => isIn(folder, file)) && hasOne(file, values.file) && !file.includes("/migrat"),
    values.sql ? sqlChanges : values.constants ? movedConstants : changesOf,
  ).filter(({ source }) => isWithActing || !/\bawait\b/.test(source));
  const drawn = all.map(({ mutants, ...file }) => ({
    ...file,
    mutants: mutants.filter(() => random.next() < 1 / share),
  }));
  say("compiles");
  const compiling = findCompiling(ROOT, drawn);
  const files: MutatedFile[] = drawn.map(({ mutants, ...file }) => ({
    ...file,
    mutants: mutants.filter(({ id }) => compiling.has(id)),
  }));
  const chosen = files.flatMap(({ mutants }) => mutants);
  say(`tries ${chosen.length}`);
  const rooms = new Set(["monitor", "admin", "listening-api", ...folders.map((one) => one.split("/", 1)[0])]);
  const { parts, projects } = projectsOf(ROOT);
  // Slow ones, those with a database, and those of other rooms take part where they are named.
  const isNamed = values.tests !== undefined;
  const slow = isNamed ? projects.thorough : [];
  const isNear = (file: string) => isNamed || rooms.has(file.split("/")[1]);
  const usesDatabase = values.sql || isNamed;
  const unit = values.sql ? [] : (parts["unit"] ?? []);
  const project = [...unit, ...(usesDatabase ? (parts["db"] ?? []) : []), ...slow];
  const tests = values.constants
    ? [LABELLED]
    : testsOf(
        ROOT,
        files.filter(({ mutants }) => mutants.length > 0).map(({ file }) => file),
        project.filter((file) => isNear(file) && hasOne(file, values.tests)),
      );
  const player = await openPlayer(
    ROOT,
    files,
    await mkdtemp(join(tmpdir(), "earshot-mutants-")),
    usesDatabase,
  );
  let tried: TriedMutants;
  try {
    tried = await tryMutants(player, files, tests, {
      isQuick: values.quick,
      onCold: (done, of) => say(`alone ${done} of ${of}`),
    });
  } finally {
    await player.close();
  }
  say("");
  const { fates, notTwice } = tried;
  const rows = folders.map((folder) =>
    rowOf(
      folder,
      chosen.filter(({ file }) => isIn(folder, file)),
      fates,
      equivalents,
    ),
  );
  const wrongNames = rows.flatMap(({ killedEquivalents }) =>
    killedEquivalents.map((key) => `killed, so not equivalent: ${key}`),
  );
  if (share === 1 && !values.constants) {
    const keys = new Set(all.flatMap(({ mutants }) => mutants.map(({ key }) => key)));
    for (const key of equivalents.keys())
      if (all.some(({ file }) => key.startsWith(`${file} `)) && !keys.has(key))
        wrongNames.push(`named as equivalent, and not there: ${key}`);
  }
  if (values.json) print(`${JSON.stringify(rows, null, 2)}\n`);
  else {
    for (const row of rows) print(lived(row));
    if (values.killed) print(killed(chosen, fates));
    print(table(rows));
    const notTried = chosen.filter(({ id }) => fates.get(id)?.fate === "NotTried").length;
    if (notTried > 0) print(`${notTried} more need a process of their own: --quick leaves them out\n`);
    for (const test of notTwice) print(`fails when it runs again, and says nothing: ${test}\n`);
    print(`${Math.round((monotonicMs() - startedAt) / 1_000)} s\n`);
  }
  for (const wrong of wrongNames) process.stderr.write(`${wrong}\n`);
  return wrongNames.length === 0 && rows.every((row) => isEnough(row, share)) ? 0 : 1;
}

function foldersOf(values: {
  readonly folder?: readonly string[];
  readonly constants: boolean;
  readonly sql: boolean;
}): readonly string[] {
  if (values.folder !== undefined) return values.folder;
  return values.sql ? STORES : values.constants ? ["monitor/rules/spike"] : FOLDERS;
}

/** Without texts every path is wanted. */
function hasOne(path: string, texts: readonly string[] | undefined): boolean {
  return texts === undefined || texts.some((text) => path.includes(text));
}

function killed(chosen: readonly Mutant[], fates: ReadonlyMap<number, Fate>): string {
  return chosen
    .map(({ id, key, line }) => {
      const fate = fates.get(id);
      return fate?.fate === "Killed" ? `${key.replace(" ", `:${line} `)}\n    ${fate.by}\n` : "";
    })
    .join("");
}

interface Row {
  readonly folder: string;
  readonly killed: number;
  readonly equivalent: number;
  readonly survived: readonly Mutant[];
  readonly notReached: readonly Mutant[];
  readonly killedEquivalents: readonly string[];
}

function rowOf(
  folder: string,
  chosen: readonly Mutant[],
  fates: ReadonlyMap<number, Fate>,
  equivalents: ReadonlyMap<string, string>,
): Row {
  const having = (fate: Fate["fate"]) => chosen.filter(({ id }) => fates.get(id)?.fate === fate);
  const isNamed = ({ key }: Mutant) => equivalents.has(key);
  const lives = [...having("Survived"), ...having("NotReached")];
  return {
    folder,
    killed: having("Killed").length,
    equivalent: lives.filter(isNamed).length,
    survived: having("Survived").filter((one) => !isNamed(one)),
    notReached: having("NotReached").filter((one) => !isNamed(one)),
    killedEquivalents: having("Killed")
      .filter(isNamed)
      .map(({ key }) => key),
  };
}

function lived({ survived, notReached }: Row): string {
  const line =
    (mark: string) =>
    ({ key, line }: Mutant) =>
      `${key.replace(" ", `:${line} `)}${mark}\n`;
  return [...survived.map(line("")), ...notReached.map(line("  (no test gets there)"))].join("");
}

function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.folder,
    ...[row.killed, row.survived.length, row.notReached.length, row.equivalent].map(String),
    `${(100 * scoreOf(row)).toFixed(1)} %`,
  ]);
  return [["folder", "killed", "survived", "not reached", "equivalent", "score"], ...cells]
    .map(
      ([folder = "", ...numbers]) =>
        `${folder.padEnd(26)}${numbers.map((one) => one.padStart(13)).join("")}\n`,
    )
    .join("");
}

function scoreOf({ killed, survived, notReached }: Row): number {
  const counted = killed + survived.length + notReached.length;
  return counted === 0 ? 1 : killed / counted;
}

/** A share may be unlucky: by three standard deviations of a binomial. */
function isEnough(row: Row, share: number): boolean {
  if (share === 1) return scoreOf(row) >= WANTED_SCORE;
  const counted = row.killed + row.survived.length + row.notReached.length;
  const lives = counted * (1 - WANTED_SCORE);
  return row.survived.length + row.notReached.length <= lives + 3.1 * Math.sqrt(lives * WANTED_SCORE) + 1;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

process.exitCode = await main();

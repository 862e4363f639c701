import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { parseArgs } from "node:util";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createRandom } from "../../src/listening-api/simulate/random.ts";
import { applyFault, type Fault, type Patched, readFaults, readSource } from "./apply-fault.ts";

const HELP = `npm run planted-faults -- [options] [NAME ...]

Puts one fault at a time into a copy of the tree and runs checks until one complains: those that are likely to catch
it, and then unit and flow tests, crash points and chaos. Prints which check caught it, and after how long.

  NAME ...          only these (the names of test/planted-faults/*.yaml)
  --some N          N of them, chosen by the seed
  --seed S          (1)
  --likely          only the checks that a fault names
  --check           only see that every fault still applies
  --list            print what there is

Ends with 1 when a fault was not caught or does not apply.
`;

const ROOT = join(import.meta.dirname, "..", "..");

/** What everything goes through that its own checks have not caught, the quickest first. */
const ALL_CHECKS = [
  "vitest test/monitor/ingest test/monitor/store test/monitor/alerts test/monitor/digest test/monitor/notify test/monitor/queue test/app",
  "vitest test/flows",
  "crash-points --queue postgres --bail",
  "chaos --kills 60 --every 600 --queue postgres --at-most 300",
];

/** Who has not ended by then hangs. */
const MOST_MS = 30 * 60_000;

interface Caught {
  readonly by: string | null;
  /** The first line that says what was wrong. */
  readonly because: string;
  readonly afterMs: number;
}

async function main(): Promise<number> {
  const options = {
    some: { type: "string" },
    seed: { type: "string", default: "1" },
    likely: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) return print(HELP);
  const all = await readFaults(import.meta.dirname);
  const unknown = positionals.filter((name) => all.every((fault) => fault.name !== name));
  if (unknown.length > 0) {
    process.stderr.write(`there is no ${unknown.join(", ")}; --list prints what there is\n`);
    return 2;
  }
  if (values.list) return print(all.map(({ name, description }) => `${name}: ${description}\n`).join(""));
  const source = await readSource(ROOT);
  const patches = new Map(all.map((fault) => [fault, applyFault(fault, source)]));
  if (values.check) return print(`${all.length} planted faults, all apply\n`);
  const named = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const chosen = values.some === undefined ? named : choose(named, Number(values.some), Number(values.seed));
  const copy = await copyTree();
  const rows: [Fault, Caught][] = [];
  try {
    for (const fault of chosen) {
      const caught = await plant(copy, fault, patches.get(fault) ?? new Map(), source, values.likely);
      rows.push([fault, caught]);
      print(`${row(fault, caught)}\n`);
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
  const missed = rows.filter(([, { by }]) => by === null);
  print(`\n${rows.length - missed.length} of ${rows.length} planted faults were caught\n`);
  return missed.length === 0 ? 0 : 1;
}

function choose(faults: readonly Fault[], some: number, seed: number): Fault[] {
  const random = createRandom("planted faults", seed);
  return faults
    .map((fault) => ({ fault, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, some)
    .map(({ fault }) => fault);
}

/** A copy of the working tree, with its installed packages. */
async function copyTree(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "earshot-planted-"));
  const left = new Set([".git", "node_modules", "dist", ".earshot"]);
  const isWanted = (path: string): boolean =>
    !path
      .slice(ROOT.length + 1)
      .split(sep)
      .some((part) => left.has(part));
  await cp(ROOT, copy, { recursive: true, filter: isWanted });
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

async function plant(
  copy: string,
  fault: Fault,
  patched: Patched,
  source: ReadonlyMap<string, string>,
  onlyLikely: boolean,
): Promise<Caught> {
  for (const [path, text] of patched) await writeFile(join(copy, path), text);
  const startedAt = monotonicMs();
  try {
    for (const check of [...fault.checks, ...(onlyLikely ? [] : ALL_CHECKS)]) {
      const because = await complaintOf(copy, check);
      if (because !== null) return { by: check, because, afterMs: monotonicMs() - startedAt };
    }
    return { by: null, because: "", afterMs: monotonicMs() - startedAt };
  } finally {
    for (const path of patched.keys()) await writeFile(join(copy, path), source.get(path) ?? "");
  }
}

/** Null: the check found nothing. */
async function complaintOf(copy: string, check: string): Promise<string | null> {
  const log = join(copy, "check.log");
  const out = createWriteStream(log);
  const command = check
    .replace(/^vitest /, "node node_modules/vitest/vitest.mjs run --bail=1 ")
    .replace(/^crash-points /, "node --import tsx test/crash-points/main.ts --bail ")
    .replace(/^chaos /, "node --import tsx test/chaos/main.ts ");
  const child = spawn("sh", ["-c", `exec ${command}`], {
    cwd: copy,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => out.write(chunk));
  const late = setTimeout(() => child.kill("SIGTERM"), MOST_MS);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(late);
  await new Promise<void>((resolve) => out.end(() => resolve()));
  if (code === 0) return null;
  const lines = (await readFile(log, "utf8")).split("\n");
  const complaint = lines.find((line) => COMPLAINTS.test(line));
  if (code === null) return "it did not end";
  // A check that could not begin has caught nothing.
  if (complaint === undefined)
    throw new Error(
      `${check} ended with ${code} and no complaint: ${lines.filter((line) => line.trim() !== "").at(-1)}`,
    );
  return complaint.trim();
}

/** How a check says that something is wrong: a test, a point, a chapter that cannot be played, a line of the ledger. */
const COMPLAINTS =
  /^ *(FAIL |point \d+)|: (different|failed|not-reached) |not the same twice|nothing settles|\bBROKEN\b/;

function row({ name }: Fault, { by, because, afterMs }: Caught): string {
  const seconds = `${Math.round(afterMs / 1_000)} s`.padStart(6);
  return `${name.padEnd(46)} ${seconds}  ${by === null ? "NOT CAUGHT" : `${by}\n${"".padEnd(54)} ${because.slice(0, 140)}`}`;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});

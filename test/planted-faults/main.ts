import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { parseArgs } from "node:util";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createRandom } from "../../src/listening-api/simulate/random.ts";
import { applyFault, type Fault, type PatchedFiles, readFaults, readSource } from "./apply-fault.ts";
import { compileError, runCheck } from "./run-check.ts";

const HELP = `npm run planted-faults -- [options] [NAME ...]

Puts one fault at a time into a copy of the tree and runs checks until one complains: those that are likely to catch
it, and then unit and flow tests, crash points and chaos. Prints which check caught it, and after how long.

Each check is run on the tree without a fault first: one that complains there judges nothing. A fault has to compile.
It is caught by an assertion that failed; a check that crashed or ran out of time has caught nothing.

  NAME ...          only these (the names of test/planted-faults/*.yaml)
  --some N          N of them, chosen by the seed
  --seed S          (1)
  --parallel N      this many at the same time, each in a copy of its own (2)
  --likely          only the checks that a fault names
  --check           only see that every fault still applies
  --list            print what there is

Ends with 1 when a fault was not caught, does not apply or does not compile, or when a check fails without a fault.
`;

const ROOT = join(import.meta.dirname, "..", "..");

/** What everything goes through that its own checks have not caught, the quickest first. */
const ALL_CHECKS = [
  "vitest test/monitor/ingest test/monitor/store test/monitor/alerts test/monitor/digest test/monitor/notify test/monitor/queue test/app",
  "vitest test/flows",
  "interleavings",
  "crash-points --queue postgres",
  "chaos --kills 60 --every 600 --queue postgres --at-most 300",
];

interface Caught {
  readonly by: string | null;
  /** The first line that says what was wrong, or why nothing is known. */
  readonly because: string;
  readonly afterMs: number;
}

async function main(): Promise<number> {
  const options = {
    some: { type: "string" },
    seed: { type: "string", default: "1" },
    parallel: { type: "string", default: "2" },
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
  for (const name of ["some", "seed", "parallel"] as const) {
    const value = values[name];
    // With none of them there would be nothing to catch, and that would look like success.
    if (value === undefined || /^[1-9]\d{0,5}$/.test(value)) continue;
    process.stderr.write(`--${name} is a whole number above 0; see --help\n`);
    return 2;
  }
  if (values.list) return print(all.map(({ name, description }) => `${name}: ${description}\n`).join(""));
  const source = await readSource(ROOT);
  const patches = new Map(all.map((fault) => [fault, applyFault(fault, source)]));
  if (values.check) return print(`${all.length} planted faults, all apply\n`);
  const named = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const chosen = values.some === undefined ? named : choose(named, Number(values.some), Number(values.seed));
  const control = createControl();
  const rows: [Fault, Caught][] = [];
  const waiting = [...chosen];
  const plantAll = async (): Promise<void> => {
    const copy = await copyTree();
    try {
      for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
        const planting = { copy, source, control, onlyLikely: values.likely };
        const caught = await plant(planting, fault, patches.get(fault) ?? new Map());
        rows.push([fault, caught]);
        print(`${row(fault, caught)}\n`);
      }
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: Math.min(Number(values.parallel), chosen.length) }, plantAll));
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

/** Runs a check on the tree without a fault, once, in the first copy that needs it. Null: it passes. */
function createControl(): (copy: string, check: string) => Promise<string | null> {
  const known = new Map<string, Promise<string | null>>();
  return (copy, check) => {
    const complaint =
      known.get(check) ??
      runCheck(copy, check).then((found) => (found.verdict === "Passed" ? null : found.because));
    known.set(check, complaint);
    return complaint;
  };
}

async function plant(
  { copy, source, control, onlyLikely }: Planting,
  fault: Fault,
  patched: PatchedFiles,
): Promise<Caught> {
  const plantedDo = async <T>(work: () => Promise<T>): Promise<T> => {
    for (const [path, text] of patched) await writeFile(join(copy, path), text);
    try {
      return await work();
    } finally {
      for (const path of patched.keys()) await writeFile(join(copy, path), source.get(path) ?? "");
    }
  };
  const startedAt = monotonicMs();
  const notCaught = (because: string): Caught => ({ by: null, because, afterMs: monotonicMs() - startedAt });
  const error = await plantedDo(() => compileError(copy));
  if (error !== null) return notCaught(`it does not compile: ${error}`);
  const broken: string[] = [];
  for (const check of [...fault.checks, ...(onlyLikely ? [] : ALL_CHECKS)]) {
    const complaint = await control(copy, check);
    if (complaint !== null) {
      broken.push(`${check} fails without the fault, too: ${complaint}`);
      continue;
    }
    const found = await plantedDo(() => runCheck(copy, check));
    if (found.verdict === "Asserted")
      return { by: check, because: found.because, afterMs: monotonicMs() - startedAt };
    if (found.verdict === "Broke") broken.push(`${check} broke: ${found.because}`);
  }
  return notCaught(broken.join("; "));
}

interface Planting {
  readonly copy: string;
  readonly source: ReadonlyMap<string, string>;
  readonly control: (copy: string, check: string) => Promise<string | null>;
  readonly onlyLikely: boolean;
}

function row({ name }: Fault, { by, because, afterMs }: Caught): string {
  const seconds = `${Math.round(afterMs / 1_000)} s`.padStart(6);
  const why = because === "" ? "" : `\n${"".padEnd(54)} ${because.slice(0, 240)}`;
  return `${name.padEnd(46)} ${seconds}  ${by ?? "NOT CAUGHT"}${why}`;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});

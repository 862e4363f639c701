import { parseArgs } from "node:util";
import { stopSignal } from "../../src/lib/stop-signal.ts";
import { PEERS, type Peer } from "./gate.ts";
import { FATES } from "./play.ts";
import { formatCrashReport, isBroken } from "./report.ts";
import { MODES, runCrashPoints } from "./run.ts";
import { CHAPTERS } from "./story.ts";

const HELP = `npm run crash-points -- [options]

Kills a worker after each statement, command and call that stores or sends something, one at a time, lets
another take over, and compares facts and messages with those of a run without a death. Then it pauses
a worker at each of these points while another works, and compares again. At every fourth point the worker that takes over
dies, too.

  --queue KIND      redis or postgres (postgres)
  --from K          begin with this point
  --to K            end with this point
  --only PEER       only points at one of: ${PEERS.join(", ")}
  --chapter NAME    only one of: ${CHAPTERS.map(({ name }) => name).join(", ")}
  --mode MODE       bare (nothing is read twice, so the next poll heals nothing) or shipped; default: both
  --chapters N      so many of them, chosen by the seed (all)
  --fate FATE       ${FATES.join(" or ")}; default: all
  --name PATTERN    only points whose statement matches this regular expression
  --seed S --share N  play N of 100 points, chosen by the seed (1, 100)
  --parallel N      play this many at the same time (8)
  --together N      workers that are to be killed share a process with so many, and die with it (4)
  --at-most S       begin no more points after this many seconds
  --every           also before each, and at calls that change nothing, which equal another point
  --bail            begin no more points after the first difference
  --list            print the points and play none
  --json            the report as one JSON object

Ctrl-C begins no more points. Exits with 1 if a point differed or was not reached, or if one that was chosen was not played.
`;

const OPTIONS = {
  queue: { type: "string", default: "postgres" },
  from: { type: "string", default: "1" },
  to: { type: "string", default: "999999" },
  only: { type: "string" },
  chapter: { type: "string" },
  chapters: { type: "string", default: String(CHAPTERS.length) },
  name: { type: "string" },
  bail: { type: "boolean", default: false },
  mode: { type: "string" },
  fate: { type: "string" },
  seed: { type: "string", default: "1" },
  share: { type: "string", default: "100" },
  parallel: { type: "string", default: "8" },
  together: { type: "string", default: "4" },
  "at-most": { type: "string", default: "86400" },
  every: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

async function main(): Promise<number> {
  const values = readArguments();
  if (typeof values === "string") {
    process.stderr.write(`${values}; see --help\n`);
    return 2;
  }
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const enough = new AbortController();
  stopSignal(() => process.stderr.write("no more points are begun\n")).addEventListener("abort", () =>
    enough.abort(),
  );
  setTimeout(() => enough.abort(), Number(values["at-most"]) * 1_000).unref();
  const report = await runCrashPoints({
    queue: values.queue === "redis" ? "redis" : "postgres",
    from: Number(values.from),
    to: Number(values.to),
    only: (values.only as Peer | undefined) ?? null,
    chapter: values.chapter ?? null,
    chapters: Number(values.chapters),
    name: values.name === undefined ? null : new RegExp(values.name, "i"),
    bail: values.bail,
    modes: MODES.filter((mode) => values.mode === undefined || values.mode === mode),
    fates: FATES.filter((fate) => values.fate === undefined || values.fate === fate),
    seed: Number(values.seed),
    share: values.list ? 0 : Number(values.share),
    every: values.every,
    parallel: Math.max(1, Number(values.parallel)),
    together: Math.max(1, Math.min(Number(values.together), Number(values.parallel))),
    signal: enough.signal,
    onProgress: (sentence) => process.stderr.write(`${sentence}\n`),
  });
  if (values.list) {
    for (const { k, mode, fate, chapter, point } of report.cases)
      process.stdout.write(
        `${k}\t${mode}\t${chapter}\t${fate}\t${point.peer}\t${point.side}\t${point.nth}\t${point.name}\n`,
      );
    return 0;
  }
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : formatCrashReport(report));
  return isBroken(report) ? 1 : 0;
}

function readArguments() {
  try {
    const { values } = parseArgs({ options: OPTIONS, strict: true });
    const chosen = [
      ["queue", ["redis", "postgres"]],
      ["only", PEERS],
      ["chapter", CHAPTERS.map(({ name }) => name)],
      ["mode", MODES],
      ["fate", FATES],
    ] as const;
    for (const [name, known] of chosen) {
      const value = values[name];
      if (value !== undefined && !(known as readonly string[]).includes(value))
        return `--${name} is one of ${known.join(", ")}`;
    }
    for (const name of [
      "from",
      "to",
      "seed",
      "share",
      "chapters",
      "parallel",
      "together",
      "at-most",
    ] as const)
      if (!/^\d{1,6}$/.test(values[name])) return `--${name} is a whole number`;
    return values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

process.exitCode = await main();

import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** `Asserted`: it looked, and what it saw was wrong. `Broke`: it crashed, ran out of time, or could not begin. */
export type Verdict =
  | { readonly verdict: "Passed" }
  | { readonly verdict: "Asserted" | "Broke"; readonly because: string };

/** Who has not ended by then hangs. */
const MOST_MS = 30 * 60_000;

/** How a check is run, by its first word, and the lines in which it says that something was not as it should be. */
const PROGRAMS: Readonly<Record<string, { readonly command: string; readonly finding: RegExp }>> = {
  "crash-points": {
    command: "node --import tsx test/crash-points/main.ts --bail",
    finding: /^point \d+ .*: different;/,
  },
  interleavings: {
    command: "node --import tsx test/interleavings/main.ts --bail",
    finding: /: (different|late); .* was held before/,
  },
  chaos: { command: "node --import tsx test/chaos/main.ts", finding: /\bBROKEN\b/ },
};

const REPORT = "check.json";

/** Runs a check of a planted fault in a copy of the tree. */
export async function runCheck(copy: string, check: string): Promise<Verdict> {
  const [program = "", ...words] = check.split(" ");
  if (program === "vitest") {
    await rm(join(copy, REPORT), { force: true });
    const vitest = `node node_modules/vitest/vitest.mjs run --bail=1 --reporter=json --outputFile=${REPORT}`;
    const { code, last } = await run(copy, `${vitest} ${words.join(" ")}`);
    if (code === 0) return { verdict: "Passed" };
    const report = await readFile(join(copy, REPORT), "utf8").catch(() => null);
    return report === null ? { verdict: "Broke", because: last } : readVitest(JSON.parse(report), last);
  }
  const known = PROGRAMS[program];
  if (known === undefined) throw new Error(`nobody knows how to run "${check}"`);
  const { code, last, lines } = await run(copy, `${known.command} ${words.join(" ")}`);
  if (code === 0) return { verdict: "Passed" };
  const finding = lines.find((line) => known.finding.test(line));
  return finding === undefined
    ? { verdict: "Broke", because: last }
    : { verdict: "Asserted", because: finding.trim() };
}

interface VitestReport {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/**
 * An assertion of vitest, of a property, or of Node; any other error is a crash or a time-out. What waits for a promise
 * or polls fails with a plain `Error`.
 */
const ASSERTION =
  /^(AssertionError|Error: (Property failed|Snapshot|expected .* to |promise re(solved|jected) (?!"(Type|Reference)Error))|\w*Error: Matcher did not succeed)/;

/** Pure. `last`: the last line of the output, where the report names no test that failed. */
export function readVitest({ testResults }: VitestReport, last: string): Verdict {
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed"),
  );
  for (const { fullName, failureMessages = [] } of failed) {
    const assertion = failureMessages.find((message) => ASSERTION.test(message));
    if (assertion !== undefined)
      return { verdict: "Asserted", because: `${fullName}: ${assertion.split("\n", 1)[0] ?? ""}` };
  }
  const [crash] = failed;
  const broken = testResults.find(({ message }) => message !== "")?.message;
  const because = crash?.failureMessages?.[0] ?? broken ?? last;
  return { verdict: "Broke", because: because.split("\n", 1)[0] ?? "" };
}

/**
 * The first error of the compiler; null: it compiles. What a fault leaves unused is no error. It remembers the tree, so it
 * looks only at what a fault changes.
 */
export async function compileError(copy: string): Promise<string | null> {
  const { code, lines } = await run(
    copy,
    `node node_modules/typescript/bin/tsc -p tsconfig.json --noUnusedLocals false --noUnusedParameters false \
      --incremental --tsBuildInfoFile compiled.tsbuildinfo`,
  );
  return code === 0 ? null : (lines.find((line) => line.includes("error TS")) ?? "tsc failed");
}

async function run(copy: string, command: string) {
  // A check is run whole: a share of the tests, as CI chooses it by a seed, may leave out the one that complains.
  const { EARSHOT_SHARE_SEED: _, ...environment } = process.env;
  const child = spawn("sh", ["-c", `exec ${command}`], {
    cwd: copy,
    env: { ...environment, EARSHOT_TESTS: "all", NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const late = setTimeout(() => child.kill("SIGTERM"), MOST_MS);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(late);
  const lines = output.split("\n");
  const last = lines.filter((line) => line.trim() !== "").at(-1) ?? "it printed nothing";
  return { code, lines, last: code === null ? "it did not end" : last };
}

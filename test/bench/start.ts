import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { buildDist } from "../../.build.js";

// What it costs to start Earshot: seconds of processor time (user and system) of whole processes, until they end.
//
//     npx tsx test/bench/start.ts [runs]
//
// `node` does nothing at all, and is the floor; a worker reads everything, finds no earshot.yaml and ends. The
// processes take turns, so that a machine whose speed drifts is as unfair to all of them.

const RUNS = Number(process.argv[2] ?? 9);
const DIST = join(import.meta.dirname, "../../dist");
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  node: ["--eval", ""],
  "earshot --help": [join(DIST, "src/cli/main.js"), "--help"],
  "earshot check --help": [join(DIST, "src/cli/main.js"), "check", "--help"],
  "earshot start --help": [join(DIST, "src/cli/main.js"), "start", "--help"],
  "worker poll": [join(DIST, "workers/poll.js")],
  "worker deliver": [join(DIST, "workers/deliver.js")],
};
const NOWHERE = { ...process.env, EARSHOT_CONFIG: "/nonexistent/earshot.yaml" };

const began = performance.now();
await buildDist();
console.log(
  `build of dist/: ${((performance.now() - began) / 1_000).toFixed(2)} s, where it was not of these sources`,
);

const seconds = new Map(Object.keys(COMMANDS).map((name) => [name, [] as number[]]));
for (let run = -1; run < RUNS; run++) {
  for (const [name, words] of Object.entries(COMMANDS)) {
    const used = processorSeconds(words);
    // The first of each only warms the cache of files.
    if (run >= 0) seconds.get(name)?.push(used);
  }
}
for (const [name, all] of seconds) {
  const sorted = all.sort((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(2);
  console.log(`${name.padEnd(22)} median ${at(0.5)} s, least ${at(0)} s, most ${at(1)} s`);
}

/** As the process itself counts them at its very end: Node does not ask the system about children that have ended. */
function processorSeconds(words: readonly string[]): number {
  const count =
    'process.on("exit", () => { const { user, system } = process.cpuUsage(); require("node:fs").writeSync(3, String(user + system)) })';
  const preload = `data:text/javascript,${encodeURIComponent(`import { createRequire } from "node:module"; const require = createRequire("/"); ${count}`)}`;
  const { output } = spawnSync(process.execPath, ["--import", preload, ...words], {
    env: NOWHERE,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  const used = Number(output[3]);
  if (!(used > 0)) throw new Error(`${words.join(" ")} did not end by itself`);
  return used / 1e6;
}

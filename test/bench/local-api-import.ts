import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Pool } from "pg";
import { pino } from "pino";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY } from "../../src/lib/instant.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { importMentions } from "../../src/listening-api/import/import-mentions.ts";
import { migrateLocalApi } from "../../src/listening-api/store/migrate-local-api.ts";
import { startEmbeddedPostgres } from "../../src/monitor/store/embedded.ts";

/** Mentions a processor second of an import: of our process, of PostgreSQL's, and of both; and the same file again. `--now`: they enter now. */

const { values } = parseArgs({
  options: { mentions: { type: "string", default: "50000" }, now: { type: "boolean", default: false } },
});
const MENTIONS = Number(values.mentions);
const FIRST = Date.UTC(2026, 0, 1);

const root = await mkdtemp(join(tmpdir(), "earshot-bench-"));
await chmod(root, 0o755);
const server = await startEmbeddedPostgres({
  dataDir: join(root, "postgres"),
  log: pino({ level: "warn" }, pino.destination(2)),
});
const pool = new Pool({ connectionString: server.url, max: 4 });
pool.on("error", () => {});
try {
  await migrateLocalApi(pool);
  const { projectId } = await seedAccount(pool, {
    client: { name: "Bench" },
    user: { username: "bench", password: "bench" },
    project: { name: "Bench" },
    at: FIRST,
  });
  const path = join(root, "mentions.jsonl");
  await writeFile(path, lines());
  await measure("first", path, projectId);
  await measure("again", path, projectId);
} finally {
  await pool.end();
  await server.stop();
  await rm(root, { recursive: true, force: true });
}

/** Lines of about 500 bytes with text of their own each. */
function lines(): string {
  const words =
    "the phone battery water is hot again and nobody answers my call about that box on the terrace".split(
      " ",
    );
  return Array.from({ length: MENTIONS }, (_, n) =>
    JSON.stringify({
      id: `bench-${n}`,
      brand: ["One", "Two", "Three"][n % 3],
      author: `author${n % 5_000}`,
      text:
        Array.from({ length: 25 }, (_, w) => words[(n * 7 + w * (1 + (n % 11))) % words.length]).join(" ") +
        ` #n${n % 900} @ann${n % 70}`,
      date: new Date(FIRST + n * Math.floor((30 * DAY) / MENTIONS)).toISOString(),
      sentiment: ["negative", "neutral", "positive"][n % 3],
      language: "en",
      pageType: "twitter",
      url: `https://twitter.com/author${n % 5_000}/status/${10 ** 15 + n}`,
      location: "Boston, MA",
      followers: n % 10_000,
      retweets: n % 40,
      likes: n % 90,
    }),
  ).join("\n");
}

async function measure(what: string, path: string, projectId: number): Promise<void> {
  const [own, startedAt, theirs] = [process.cpuUsage(), performance.now(), postgresSeconds()];
  const { imported, alreadyThere } = await importMentions({
    pool,
    path,
    projectId,
    ...(values.now ? { arriveAt: systemClock.now } : {}),
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const used = process.cpuUsage(own);
  const ours = (used.user + used.system) / 1e6;
  const postgres = postgresSeconds() - theirs;
  const per = (of: number) => Math.round(MENTIONS / of);
  console.log(
    `${what}: ${imported} imported, ${alreadyThere} there already in ${seconds.toFixed(1)} s; processor: ours ${ours.toFixed(1)} s ` +
      `(${per(ours)} mentions a second), PostgreSQL ${postgres.toFixed(1)} s, both ${per(ours + postgres)} a second; ` +
      `${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`,
  );
}

/** Of the server and all its processes, those that ended included. */
function postgresSeconds(): number {
  const tree = execFileSync("ps", ["-o", "pid=,ppid=", "-A"], { encoding: "utf8" });
  const children = tree
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === server.pid)
    .map(([pid]) => pid ?? 0);
  return [server.pid, ...children].reduce((sum, pid) => sum + secondsOf(pid), 0);
}

function secondsOf(pid: number): number {
  try {
    const fields =
      execFileSync("cat", [`/proc/${pid}/stat`], { encoding: "utf8" })
        .split(") ")[1]
        ?.split(" ") ?? [];
    // utime, stime and those of children that were waited for, in hundredths.
    return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) / 100;
  } catch {
    return 0;
  }
}

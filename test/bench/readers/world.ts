import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { pino } from "pino";
import { openPostgres } from "../../../src/admin/open/open-postgres.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import type { Closing } from "../../../src/lib/closing.ts";
import { DAY, MINUTE, SECOND } from "../../../src/lib/instant.ts";
import { type Database, openDatabase } from "../../../src/monitor/store/database.ts";
import { createProcessStore } from "../../../src/monitor/store/processes.ts";
import { bundleEntries } from "../../bundle.ts";
import { until } from "../../until.ts";

const PAGE_SIZE = 500;

/** Earshot as people start it, with an embedded PostgreSQL, and a source and feeds in processes of their own. */
export interface World {
  readonly url: string;
  readonly feeds: ChildProcess;
  readonly source: ChildProcess;
  readonly database: Database;
  readonly pids: () => Promise<readonly { readonly pid: number; readonly roles: readonly string[] }[]>;
}

export async function startWorld(
  closing: Closing,
  options: {
    readonly feeds: number;
    readonly oneProcess?: boolean;
    /** New mentions a minute; absent: there is always one more page of them. */
    readonly perMinute?: number;
  },
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-readers-"));
  await chmod(folder, 0o755);
  closing.add(() => rm(folder, { recursive: true, force: true }));
  const source = await serve(closing, "source-server.ts", [
    String(systemClock.now() - 2 * DAY),
    String(options.perMinute ?? 0),
  ]);
  const feeds = await serve(closing, "bad-feeds.ts", []);
  const home = join(folder, ".earshot");
  await writeFile(join(folder, "earshot.yaml"), configOf(source.url, feeds.url, options.feeds));
  const bundle = await bundleEntries(["src/cli/main.ts"]);
  const words = ["start", "--port", "0", ...(options.oneProcess === true ? ["--one-process"] : [])];
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [bundle.file("src/cli/main.ts"), ...words], {
    cwd: folder,
    env: { PATH, HOME, EARSHOT_HOME: home },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (text: Buffer) => {
    said = (said + text).slice(-100_000);
  });
  closing.add(async () => {
    const ended = once(child, "exit");
    child.kill("SIGINT");
    await ended;
  });
  const address = () => /"url":"(http:[^"]+)","msg":"the page is open"/.exec(said)?.[1];
  await until(`the page is open`, () => address() !== undefined, { withinMs: 2 * MINUTE, everyMs: 100 });
  const log = pino({ level: "silent" });
  const postgres = await openPostgres({ databaseUrl: null, home }, log, { share: true });
  closing.add(postgres.stop);
  const database = openDatabase({ url: postgres.url, connections: 2, onError: () => {} });
  closing.add(database.close);
  const { running } = createProcessStore(database.db);
  await until(
    "polls store something",
    async () => (await stored(database)) > (options.perMinute === undefined ? 4 * PAGE_SIZE : 0),
    {
      ...{ withinMs: 5 * MINUTE, everyMs: SECOND },
    },
  );
  return { url: address() ?? "", feeds: feeds.process, source: source.process, database, pids: running };
}

function configOf(source: string, feeds: string, count: number): string {
  const urls = Array.from({ length: count }, (_, at) => JSON.stringify(`${feeds}/${at}`));
  const listen = `
listen:
  queries: [{ name: acme, text: acme }]
  feeds: [{ kind: rss, urls: [${urls.join(", ")}], every: 1m, allowPrivateAddress: true }]`;
  return `
source: { baseUrl: "${source}", username: a, password: b, clientId: c, history: 10d, pageSize: ${PAGE_SIZE} }
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [hook] }]
rules: ${process.cwd()}/rules${urls.length === 0 ? "" : listen}
`;
}

export async function stored({ db }: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from earshot.mentions`.execute(db);
  return rows[0]?.n ?? 0;
}

/** From the kernel: Earshot itself is not asked. */
export async function usageOf(pid: number): Promise<{ mb: number; cpuS: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const cpuS = (Number(fields[11]) + Number(fields[12])) / 100;
  return { mb: Math.round((Number(fields[21]) * 4_096) / 1_000_000), cpuS };
}

export function run(closing: Closing, file: string, words: readonly string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, file), [...words], { execArgv: process.execArgv });
  closing.add(async () => void child.kill("SIGKILL"));
  return child;
}

async function serve(closing: Closing, file: string, words: readonly string[]) {
  const child = run(closing, file, words);
  const [url] = await once(child, "message");
  return { url: String(url), process: child };
}

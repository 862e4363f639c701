import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { pino } from "pino";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { seedAccount } from "../../../src/listening-api/account/seed-account.ts";
import { createLocalApi } from "../../../src/listening-api/create-local-api.ts";
import { wireTime } from "../../../src/listening-api/records/wire.ts";
import { createDatabase } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { migrateLocalApi } from "../../../src/listening-api/store/migrate-local-api.ts";
import { signingSecret } from "../../../src/listening-api/store/settings.ts";
import { startEmbeddedPostgres } from "../../../src/monitor/store/embedded.ts";
import { get, logIn, mentionVersion, resourceId, SEED, T0 } from "../fixture.ts";

const log = { info() {}, warn() {}, error() {} };

/** Serves the tables in the folder, as `.earshot/` is one, while `work` is done. */
async function serving<Result>(
  folder: string,
  work: (api: ReturnType<typeof createLocalApi>, pool: Pool) => Promise<Result>,
): Promise<Result> {
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, "postgres"),
    log: pino({ level: "silent" }),
  });
  const pool = new Pool({ connectionString: server.url, max: 4 });
  pool.on("error", () => {});
  try {
    await migrateLocalApi(pool);
    const api = createLocalApi({ pool, clock: systemClock, log, signingSecret: await signingSecret(pool) });
    return await work(api, pool).finally(() => api.close());
  } finally {
    await pool.end();
    await server.stop();
  }
}

test("the folder of an embedded PostgreSQL, copied while nothing runs, is a backup: tokens and cursors stay good", async () => {
  const root = await mkdtemp(join(tmpdir(), "earshot-backup-"));
  await chmod(root, 0o755);
  try {
    const [original, copy] = [join(root, "one"), join(root, "two")];
    await mkdir(original);
    const asked = (queryId: number) =>
      [
        ["queryId", queryId],
        ["startDate", "2026-03-01"],
        ["endDate", "2026-04-01"],
        ["pageSize", 1],
      ] as const;
    const before = await serving(original, async (api, pool) => {
      const account = await seedAccount(pool, SEED);
      const queryId = account.queries.get("Alpha") ?? 0;
      await insertMentions(
        createDatabase(pool),
        [1, 2].map((n) => mentionVersion({ queryId, resourceId: resourceId(n) }, { added: T0 + n })),
      );
      const token = String((await logIn(api, SEED.user)).body.access_token);
      const path = `/projects/${account.projectId}/data/mentions`;
      const { body } = await get(api, path, asked(queryId), token);
      return { path, token, queryId, cursor: String(body.nextCursor) };
    });
    execFileSync("cp", ["-a", original, copy]);
    await rm(original, { recursive: true });
    const { path, token, queryId, cursor } = before;
    const { status, body } = await serving(copy, (api) =>
      get(api, path, [...asked(queryId), ["cursor", cursor]], token),
    );
    expect(status).toBe(200);
    expect(body.results.map((one: { added: string }) => one.added)).toEqual([wireTime(T0 + 1)]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

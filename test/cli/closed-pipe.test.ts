import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MINUTE, toIso } from "../../src/lib/instant.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import type { Bundle } from "../bundle.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../listening-api/fixture.ts";
import { bundleEarshot, mainOf } from "./run-earshot.ts";

let bundle: Bundle;
let fixture: Fixture;
let folder: string;
beforeAll(async () => {
  [bundle, fixture] = await Promise.all([bundleEarshot(), startFixture()]);
  folder = await mkdtemp(join(tmpdir(), "earshot-pipe-"));
  const queryId = fixture.account.queries.get("Alpha") ?? 0;
  const versions = Array.from({ length: 4_000 }, (_, n) =>
    mentionVersion({ queryId, resourceId: resourceId(n), snippet: "x".repeat(500) }, { added: T0 + n }),
  );
  await writeFile(join(folder, "counts.csv"), manySpikes());
  await insertMentions(createDatabase(fixture.database.pool), versions);
}, 120_000);
afterAll(async () => {
  await Promise.all([fixture.stop(), bundle.remove()]);
  await rm(folder, { recursive: true });
});

/** A spike at the end of each series; several pieces of standard input have one. */
function manySpikes(): string {
  const rows = Array.from({ length: 40 }, (_, series) =>
    Array.from({ length: 600 }, (_, bucket) => {
      const at = toIso(T0 + bucket * 5 * MINUTE);
      return `s${series},${at},${bucket === 590 ? 200 : bucket % 4}\n`;
    }).join(""),
  );
  return `series,timestamp,value\n${rows.join("")}`;
}

test.each([
  ["--help", "head -n 1"],
  ["local-api export --project Brands", "head -n 1"],
  ["local-api get --json", "true"],
  ["api", "true"],
  ["--help", "sleep 0.1"],
  ["detect < counts.csv", "true"],
])("earshot %s | %s ends quietly when the reader closes the pipe", async (words, reader) => {
  const shell = `"$NODE" "$MAIN" ${words} | ${reader}; echo "codes \${PIPESTATUS[*]}"`;
  const { PATH, HOME } = process.env;
  const databaseUrl = fixture.database.pool.options.connectionString;
  const env = { PATH, HOME, EARSHOT_HOME: folder, DATABASE_URL: databaseUrl };
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", shell], {
    cwd: folder,
    env: { ...env, NODE: process.execPath, MAIN: mainOf(bundle) },
  });
  expect(stderr.replace(/^\d+ mentions written\.\n$/, "")).toBe("");
  expect(stdout).toMatch(/codes 0 0\n$/);
});

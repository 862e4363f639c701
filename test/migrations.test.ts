import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MIGRATIONS as LOCAL_API } from "../src/listening-api/store/migrations.ts";
import { MIGRATIONS } from "../src/monitor/store/migrate.ts";

const SRC = join(import.meta.dirname, "..", "src");

/**
 * SHA-256 of every migration (its first 16 digits). A database that ran one never runs it again, so an edit would leave
 * old and new databases with different tables. Change the schema by a new migration, and add its line here.
 */
const RELEASED: Readonly<Record<string, string>> = {
  "listening-api/store/migrations/001-schema.ts": "4f61f95486ce0972",
  "listening-api/store/migrations/002-feeds.ts": "0e087e56b8d4ea67",
  "listening-api/store/migrations/012-enrichment.ts": "2ca69c29e0afe2bb",
  "listening-api/store/migrations/020-recheck.ts": "a391c33b29b1cc83",
  "listening-api/store/migrations/030-streams.ts": "9e9185b9fed71bdc",
  "listening-api/store/migrations/040-forget-requests.ts": "1d5e70a3ef76de2b",
  "listening-api/store/migrations/050-feed-added.ts": "d3d4acfc1e8f1a78",
  "listening-api/store/migrations/060-feed-readings.ts": "f263fe6243a9df63",
  "listening-api/store/migrations/070-written-at.ts": "8836dec972d1eb8e",
  "listening-api/store/migrations/080-project-rules.ts": "709249e65e33fb5c",
  "listening-api/store/migrations/085-deleted-leave.ts": "4174cb88c4c86b5d",
  "listening-api/store/migrations/086-login-limits.ts": "01ba35dc63e7b4d1",
  "monitor/store/migrations/0001-schema.ts": "8416539174831aaf",
  "monitor/store/migrations/0002-processes.ts": "7fcc18f07f63d0f5",
  "monitor/store/migrations/0003-rule-pages.ts": "fbed64007c760b3a",
  "monitor/store/migrations/0004-forgotten.ts": "910d479ee23d82a2",
  "monitor/store/migrations/0005-delivery-codes.ts": "9e646bee34512146",
  "monitor/store/migrations/0006-forgotten-files.ts": "34ba6e4b325b117b",
  "monitor/store/migrations/0007-loop-delay.ts": "7ed9e10f177580fb",
  "monitor/store/migrations/0008-outcomes.ts": "d0250d9a84dfcbd4",
  "monitor/store/migrations/0009-woken-polls.ts": "93c1273d647717f6",
  "monitor/store/migrations/0010-incidents.ts": "9df6342ec3549a33",
};

test("migrations are only added, never edited or removed", () => {
  const files = ["listening-api/store/migrations", "monitor/store/migrations"].flatMap((folder) =>
    readdirSync(join(SRC, folder))
      .filter((name) => /^\d/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  const hashes = files.map((file) => [file, hashOf(readFileSync(join(SRC, file)))] as const);
  expect(Object.fromEntries(hashes)).toEqual(RELEASED);
});

test("every migration is in the list that runs them, in order", () => {
  const named = (folder: string) => Object.keys(RELEASED).filter((file) => file.startsWith(folder));
  const name = (file: string) => file.replace(/^.*\//, "").replace(/\.ts$/, "");
  expect(Object.keys(MIGRATIONS)).toEqual(named("monitor/").map(name).sort());
  expect(LOCAL_API.map((one) => one.name)).toEqual(named("listening-api/").map(name).sort());
});

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

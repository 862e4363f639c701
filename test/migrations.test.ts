import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MIGRATIONS as FEEDS } from "../src/feeds/store/migrate-feeds.ts";
import { MIGRATIONS as LOCAL_API } from "../src/listening-api/store/migrate-local-api.ts";
import { MIGRATIONS } from "../src/monitor/store/migrate.ts";

const SRC = join(import.meta.dirname, "..", "src");

/**
 * SHA-256 of every migration (its first 16 digits). A database that ran one never runs it again, so an edit would leave
 * old and new databases with different tables. From the tag 0.1.0 on, change the schema by a new migration, and add its
 * line here.
 */
const RELEASED: Readonly<Record<string, string>> = {
  "feeds/store/migrations/001-schema.ts": "8d225bfee2ae5851",
  "listening-api/store/migrations/001-schema.ts": "50793f4aa20c3bba",
  "monitor/store/migrations/0001-schema.ts": "dc8c2b5d3a9cb0a6",
};

test("migrations are only added, never edited or removed", () => {
  const files = [
    "feeds/store/migrations",
    "listening-api/store/migrations",
    "monitor/store/migrations",
  ].flatMap((folder) =>
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
  expect(FEEDS.map((one) => one.name)).toEqual(named("feeds/").map(name).sort());
  expect(LOCAL_API.map((one) => one.name)).toEqual(named("listening-api/").map(name).sort());
});

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Fixture, startFixture } from "./fixture.ts";

const DOCUMENT = join(import.meta.dirname, "../../docs/listening-api.md");

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

test("every served call is in docs/listening-api.md, and no other", async () => {
  const [served = ""] = (await readFile(DOCUMENT, "utf8")).split("\n## Not served");
  const documented = served.split("\n").flatMap((line) => {
    const [, cell = ""] = line.split("|");
    const methods = cell.match(/[A-Z]{3,}/g) ?? [];
    const paths = [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
    return methods.flatMap((method) => paths.map((path) => `${method} ${path}`));
  });
  const calls = (await fixture.api.calls())
    // Answered alike, whatever the method: GET without a body, the others with 404.
    .filter(({ method, path }) => method !== "HEAD" && (path !== "/oauth/token" || /GET|POST/.test(method)))
    .map(({ method, path }) => `${method} ${written(path)}`);
  expect([...new Set(documented)].sort()).toEqual([...new Set(calls)].sort());
  expect(documented.length).toBe(new Set(documented).size);
});

function written(path: string): string {
  return path
    .replace(/\(.*?\)(?=\/|$)/g, "")
    .replace("/projects/:projectId", "…")
    .replace(/:([a-zA-Z0-9]+)/g, "{$1}");
}

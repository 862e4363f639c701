import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { startEarshot } from "../../src/monitor/monitor.ts";
import type { Role } from "../../src/monitor/roles.ts";
import { closedPort } from "../fakes/smtp.ts";

let templates: string;

beforeAll(async () => {
  templates = await mkdtemp(join(tmpdir(), "earshot-templates-"));
  await mkdir(join(templates, "slack"));
  await writeFile(join(templates, "slack", "alert-fallback.mrkdwn.hbs"), "{{qeury}}");
});

afterAll(() => rm(templates, { recursive: true }));

test("a template with a fault keeps from starting who would send it, and nobody else", async () => {
  await expect(startWith(["poll", "deliver"])).rejects.toThrow(/templates .* 1 fault/);
  await expect(startWith(["poll"])).rejects.toThrow(/ECONNREFUSED/);
});

/** No database listens, so that a start which finds no fault ends there. */
async function startWith(roles: readonly Role[]): Promise<unknown> {
  const url = `postgres://earshot@127.0.0.1:${await closedPort()}/earshot`;
  return startEarshot({
    config: await parseConfig({
      source: { baseUrl: "http://127.0.0.1:1", username: "a", password: "b", clientId: "c" },
      receivers: [{ name: "hook", kind: "webhook", url: "https://hooks.example/earshot" }],
      routes: [{ receivers: ["hook"] }],
      rules: "rules",
      templates,
    }),
    databaseUrl: url,
    queue: { kind: "postgres", url, schema: "earshot_queue" },
    clock: systemClock,
    log: createLog({ level: "silent" }),
    roles,
  });
}

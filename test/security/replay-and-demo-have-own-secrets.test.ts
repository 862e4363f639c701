import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { LOCAL_ACCOUNT } from "../../src/console/inbox/local-account.ts";
import { startDemo } from "../../src/lab/demo/demo.ts";
import type { LocalParts } from "../../src/lab/local/local-parts.ts";
import { startReplay } from "../../src/lab/replay/replay.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { createTestDatabase } from "../postgres.ts";

/** What somebody would try: words of the code, and none. */
const WELL_KNOWN = ["", "local-only", "unused", "secret", "password", "demo", "replay", "earshot"];
const TEMPLATES = new URL("../../templates", import.meta.url).pathname;
const RULES = new URL("../fixtures/replay-rules", import.meta.url).pathname;
const log = pino({ level: "silent" });
const closing = createClosing();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-secrets-"));
  closing.add(() => rm(folder, { recursive: true, force: true }));
});
afterAll(() => closing.close());

interface StartedProcess {
  readonly local: LocalParts;
  stop(): Promise<void>;
}

const replay = async (): Promise<StartedProcess> => {
  const file = join(folder, "one.jsonl");
  const mention = { id: "1", brand: "Acme", author: "ann", text: "Fine", date: "2015-02-17T08:00:00+0000" };
  await writeFile(file, `${JSON.stringify({ ...mention, sentiment: "neutral", retweets: 0 })}\n`);
  return startReplay({
    ...{ file, speed: "max", databaseUrl: inject("postgresUrl"), redisUrl: null, rules: RULES },
    ...{ templates: TEMPLATES, consoleUrl: () => null, log, onProgress: () => {} },
    signal: new AbortController().signal,
  });
};

let database: Awaited<ReturnType<typeof createTestDatabase>> | null = null;
const demo = async (): Promise<StartedProcess> => {
  if (database === null) {
    database = await createTestDatabase();
    closing.add(database.drop);
  }
  const { url } = database;
  return startDemo({
    ...{ databaseUrl: url, queue: { kind: "postgres", url, schema: "earshot_queue" } },
    ...{ rules: RULES, templates: TEMPLATES, log, consoleUrl: () => null },
  });
};

test.each([
  ["replay", replay],
  ["demo", demo],
] as const)(
  "a %s has secrets of its own at each start, and no well-known one opens it",
  async (_, start) => {
    const first = await start();
    const before = first.local.secrets;
    const token = await logIn(first.local, before.password);
    expect(token).not.toBeNull();
    await expectClosed(first.local, WELL_KNOWN);
    await first.stop();

    const second = await start();
    const now = second.local.secrets;
    expect(new Set([...Object.values(before), ...Object.values(now)]).size).toBe(6);
    expect(await logIn(second.local, now.password)).not.toBeNull();
    await expectClosed(second.local, Object.values(before));
    const asked = await fetch(`${second.local.apiUrl}/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(asked.status).toBe(401);
    await second.stop();
  },
  4 * MINUTE,
);

async function expectClosed(local: LocalParts, secrets: readonly string[]): Promise<void> {
  // Fewer than the failures after which a login has to wait.
  for (const secret of secrets) expect(await logIn(local, secret), secret).toBeNull();
  for (const secret of [...secrets, `xoxb-${secrets[1]}`])
    expect(await slackTakes(local, secret)).toBe(false);
  expect(await slackTakes(local, local.secrets.slackToken)).toBe(true);
}

async function logIn({ apiUrl }: LocalParts, password: string): Promise<string | null> {
  const { username, clientId } = LOCAL_ACCOUNT;
  const asked = new URLSearchParams({ username, grant_type: "api-password", client_id: clientId });
  const body = new URLSearchParams({ password });
  const answer = await fetch(`${apiUrl}/oauth/token?${asked}`, { method: "POST", body });
  const { access_token: token } = (await answer.json()) as { access_token?: string };
  expect([200, 400, 401]).toContain(answer.status);
  return token ?? null;
}

async function slackTakes({ slackApiUrl }: LocalParts, token: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${slackApiUrl}auth.test`, { method: "POST", headers });
  return ((await answer.json()) as { ok: boolean }).ok;
}

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { HOUR } from "../../src/lib/instant.ts";
import type { AuditEntry } from "../../src/monitor/model/audit.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { anAlert, pending } from "../console/make-a-story.ts";
import { useStores } from "../use-stores.ts";
import { runCommand } from "./run-command.ts";

const { url, database, stores } = await useStores({ onError: () => {} });
let folder: string;
let env: NodeJS.ProcessEnv;

const LISTENING = `listen:
  queries: [{ name: Acme, text: acme }]
  feeds: [{ kind: hacker-news }]
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-audited-"));
  await mkdir(join(folder, "rules"));
  await writeFile(
    join(folder, "rules", "bad.yaml"),
    "description: Bad words\nseverity: warning\nwhen: { sentiment: negative }\n",
  );
  await writeFile(join(folder, "earshot.yaml"), LISTENING);
  env = { DATABASE_URL: url, EARSHOT_HOME: folder, EARSHOT_CONFIG: join(folder, "earshot.yaml") };
  await ensurePartitions(database.db, systemClock.now());
});
afterAll(() => rm(folder, { recursive: true }));

async function newest(): Promise<AuditEntry | undefined> {
  return (await stores.audit.list({ who: null, action: null, from: null, to: null }, null, 1)).at(0);
}
const earshot = (...args: string[]) => runCommand(args, env);

test("a reload has an entry with the version", async () => {
  expect(await earshot("reload", "--no-wait")).toMatchObject({ exitCode: 0 });
  expect(await newest()).toMatchObject({
    ...{ action: "reload", outcome: "Done", detail: expect.stringMatching(/^version [0-9a-f]{10}$/) },
    actor: { via: "shell", login: expect.stringMatching(/./), typed: null },
  });
});

test("what is sent again has one, with the receiver", async () => {
  const at = systemClock.now() - HOUR;
  const alert = anAlert({ openedAt: at });
  await stores.alerts.save([alert]);
  const message = pending(alert, { receiver: "comms", createdAt: at });
  await stores.notifications.addPending([message]);
  const claimed = await stores.notifications.claim(message.projectId, message.id);
  if (claimed === null) throw new Error("the message is not due");
  await stores.notifications.markFailed(claimed, { code: "invalid_auth", detail: "refused" }, null);
  expect(await earshot("redeliver", "comms")).toMatchObject({ exitCode: 0 });
  expect(await newest()).toMatchObject({
    ...{ action: "notification.redeliver", target: "comms", detail: "1 message of 7d" },
  });
});

test("a dead letter that is replayed has one, and so has a try that was refused", async () => {
  expect(await earshot("dead-letters", "replay", "0199b2c4")).toMatchObject({ exitCode: 2 });
  expect(await newest()).toMatchObject({
    ...{ action: "dead-letter.replay", target: "0199b2c4", outcome: "Refused" },
    detail: expect.stringContaining("no such dead letter"),
  });
});

test("who is forgotten is in no entry; that somebody was is", async () => {
  expect(await earshot("forget", "@quillonda", "--yes", "--by", "Ann")).toMatchObject({ exitCode: 0 });
  expect(await newest()).toMatchObject({
    ...{ action: "mention.forget", target: "author", outcome: "Done", detail: "0 mentions" },
    actor: { via: "shell", typed: "Ann" },
  });
});

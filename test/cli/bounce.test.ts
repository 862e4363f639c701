import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOUR } from "../../src/lib/instant.ts";
import type { PendingNotification } from "../../src/monitor/model/notification.ts";
import { returnPath } from "../../src/monitor/notify/notifiers/email/compose-email.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { anAlert, pending } from "../console/make-a-story.ts";
import { bounceMail, statusPart } from "../fixtures/bounce-mails.ts";
import { useStores } from "../use-stores.ts";
import { runCommand } from "./run-command.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const TO = "duty@example.org";
const alert = anAlert({ openedAt: NOW - HOUR });
const mails: PendingNotification[] = ["fired", "reminder", "resolved"].map((kind, index) =>
  pending(alert, { receiver: "desk", kind: kind as "fired", createdAt: NOW + index }),
);
const { url, database, stores } = await useStores({ onError: () => {} });
let folder: string;

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  folder = await mkdtemp(join(tmpdir(), "earshot-bounce-"));
  await stores.alerts.save([alert]);
  for (const mail of mails) await send(mail);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function send(mail: PendingNotification): Promise<void> {
  await stores.notifications.addPending([mail]);
  const claimed = await stores.notifications.claim(mail.projectId, mail.id);
  if (claimed === null) throw new Error("the mail is not due");
  const ref = { messageId: `<${mail.kind}@brand.example>`, to: TO, subject: "x", answer: "250 ok" };
  await stores.notifications.markSent(claimed, NOW, ref);
}

async function bounce(message: string, ...flags: string[]) {
  const file = join(folder, "message");
  await writeFile(file, message);
  return runCommand(["bounce", file, ...flags], { DATABASE_URL: url, EARSHOT_HOME: folder });
}

const pathOf = (mail: PendingNotification | undefined) =>
  returnPath({ bouncesTo: "bounces+{id}@brand.example", from: "" }, mail?.id ?? "");
const history = async () =>
  (await stores.alerts.events(alert.projectId, alert.id)).map(({ what, detail }) => `${what} ${detail}`);

test("a mail that came back is noted at its delivery and in the history, once, and is not yet a problem", async () => {
  const message = bounceMail({ to: pathOf(mails[0]), quoted: null });
  expect(await bounce(message)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^desk: the mail came back: 5\.1\.1 smtp; 550 .* User unknown\n$/),
  });
  expect((await bounce(message)).stdout).toBe("desk: noted before\n");
  expect(await history()).toEqual([expect.stringMatching(/^MailBounced desk: 5\.1\.1 /)]);
  const { stdout } = await runCommand(["why", alert.id], {
    DATABASE_URL: url,
    EARSHOT_HOME: folder,
  });
  expect(stdout).toMatch(/later: bounced: 5\.1\.1 smtp; 550/);
  expect(await stores.bounces.open()).toMatchObject([{ receiver: "desk", to: TO, times: 1 }]);
});

test("a second one, found by the Message-ID in the report, is reported by the health check", async () => {
  const quoted = { type: "message/rfc822", messageId: "<reminder@brand.example>" };
  await bounce(bounceMail({ to: "bounces@brand.example", quoted }));
  expect(await stores.bounces.open()).toEqual([
    { receiver: "desk", to: TO, times: 2, since: NOW, detail: expect.stringContaining("User unknown") },
  ]);
});

test("a mail that is only delayed, or expired, is noted and is no such problem", async () => {
  for (const status of [
    { action: "delayed", status: "4.4.1" },
    { action: "failed", status: "4.4.7" },
  ])
    await bounce(bounceMail({ to: pathOf(mails[2]), status: statusPart(status) }));
  expect((await history()).slice(2).map((line) => line.split(" ")[0])).toEqual([
    "MailDelayed",
    "MailExpired",
  ]);
  expect((await stores.bounces.open())[0]?.times).toBe(2);
});

test("a later mail that has not bounced for an hour ends it", async () => {
  await send(pending(alert, { receiver: "desk", kind: "reminder", createdAt: NOW + 10 }));
  expect(await stores.bounces.open()).toHaveLength(1);
  await sql`update earshot.deliveries set at_wall = at_wall - interval '61 minutes'`.execute(database.db);
  expect(await stores.bounces.open()).toEqual([]);
});

test("what is no bounce, or none of ours, is left alone", async () => {
  expect((await bounce(bounceMail({ status: null, words: "I am away" }))).stdout).toMatch(/^no bounce: /);
  expect((await bounce(bounceMail(), "--json")).stdout).toBe('{"outcome":"NotOurs"}\n');
});

test("a mail server is asked to try again while the database is away; a missing file is reported", async () => {
  const away = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", EARSHOT_HOME: folder };
  const file = join(folder, "message");
  await writeFile(file, bounceMail());
  expect(await runCommand(["bounce", file], away)).toMatchObject({ exitCode: 75, stdout: "" });
  expect((await runCommand(["bounce", join(folder, "none")], away)).exitCode).toBe(2);
});

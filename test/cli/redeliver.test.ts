import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY, HOUR } from "../../src/lib/instant.ts";
import type { PendingNotification } from "../../src/monitor/model/notification.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { anAlert, pending } from "../console/make-a-story.ts";
import { useStores } from "../use-stores.ts";
import { runCommand } from "./run-command.ts";

const NOW = systemClock.now();
const { url, database, stores } = await useStores({ onError: () => {} });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-redeliver-"));
  for (const at of [NOW, NOW - 8 * DAY]) await ensurePartitions(database.db, at);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function refused(receiver: string, createdAt: number): Promise<PendingNotification> {
  const alert = anAlert({ openedAt: createdAt, fingerprint: `${receiver} ${createdAt}` });
  await stores.alerts.save([alert]);
  const message = pending(alert, { receiver, createdAt });
  await stores.notifications.addPending([message]);
  const claimed = await stores.notifications.claim(message.projectId, message.id);
  if (claimed === null) throw new Error("the message is not due");
  await stores.notifications.markFailed(
    claimed,
    { code: "invalid_auth", detail: "Slack refused the message: invalid_auth" },
    null,
  );
  return message;
}

const redeliver = (...args: string[]) =>
  runCommand(["redeliver", ...args], { DATABASE_URL: url, EARSHOT_HOME: folder });
const isDue = async ({ projectId, id }: PendingNotification) =>
  (await stores.notifications.claim(projectId, id)) !== null;

test("what a receiver refused for good is listed with its reason, and is sent again on request", async () => {
  expect((await redeliver()).stdout).toBe("No message was given up in 7d.\n");
  const [one, two] = [await refused("comms", NOW - HOUR), await refused("comms", NOW - 2 * HOUR)];
  const other = await refused("desk", NOW - HOUR);
  const old = await refused("comms", NOW - 8 * DAY);
  expect((await redeliver()).stdout).toBe(
    "comms: 2 messages, Slack refused the message: invalid_auth\ndesk: 1 message, Slack refused the message: invalid_auth\n",
  );
  expect(await redeliver("comms")).toMatchObject({
    exitCode: 0,
    stdout: "2 messages to comms are tried again.\n",
  });
  expect([await isDue(one), await isDue(two), await isDue(other), await isDue(old)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("a receiver that refused nothing, and an invalid duration, are reported with the valid choices", async () => {
  expect(await redeliver("comsm")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /no message to "comsm" was given up in 7d\n.*messages were given up to desk/,
    ),
  });
  expect(await redeliver("desk", "--since", "soon")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--since is a duration such as 6h or 2d"),
  });
});

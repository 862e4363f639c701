import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { showActing } from "../../src/cli/common/print.ts";
import { HOUR } from "../../src/lib/instant.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { type Ran, runCommand } from "../cli/run-command.ts";
import { anAlert, makeAStory, PROJECT, pending } from "../console/make-a-story.ts";
import { startScriptedSmtp } from "../fakes/scripted-smtp.ts";
import { bounceMail, statusPart } from "../fixtures/bounce-mails.ts";
import { useStores } from "../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
/** Moves the cursor, colours, names the window, turns the direction: in C0, DEL, C1 and Unicode. */
const EVIL = "a\u001b[31mb\u009b2Jc\u009d0;title\u009cd\u007fe\u202ef\u2066g\u200fh\u2028i\u0008j\rk\ufeffl";
const ACTING = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;
const ROOT = join(import.meta.dirname, "../..");

const { url, database, stores } = await useStores({ onError: () => {} });
const alert = { ...anAlert({ openedAt: NOW - HOUR, fingerprint: EVIL }), queryName: EVIL, because: EVIL };
const open = {
  ...anAlert({ openedAt: NOW - HOUR, fingerprint: `${EVIL} open` }),
  queryName: EVIL,
  because: EVIL,
};

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  await makeAStory(stores, NOW);
  await stores.alerts.save([alert, open]);
  const notification = { ...pending(alert), receiver: EVIL };
  await stores.notifications.addPending([notification]);
  const claimed = await stores.notifications.claim(alert.projectId, notification.id);
  if (claimed !== null)
    await stores.notifications.markFailed(claimed, { code: "failed", detail: EVIL }, null);
  await watchEvilQuery();
  for (const one of [{ kind: "mention", resourceId: EVIL } as const, { kind: "job", scope: EVIL } as const])
    await stores.deadLetters.add(
      { projectId: PROJECT, queryId: "9", reason: EVIL, tries: 3, body: null, ...one },
      NOW,
    );
});

/** A query with that name, whose poll failed with that text. */
async function watchEvilQuery(): Promise<void> {
  const query = { projectId: PROJECT, queryId: "9", name: EVIL, projectName: EVIL, timezone: "UTC" };
  await stores.queries.register([query], NOW - 20 * HOUR, NOW - 24 * HOUR);
  await stores.polls.ensure(NOW);
  for (const poll of ["added", "updated"] as const) {
    const key = { projectId: PROJECT, queryId: "9", poll };
    const claimed = await stores.polls.claim(key, NOW);
    if (claimed === null) throw new Error("the poll is not due");
    await stores.polls.fail(key, claimed.lease, EVIL, 5_000);
  }
}

const COMMANDS: readonly (readonly string[])[] = [
  ["alerts"],
  ["alerts", "--json"],
  ["alerts", "ack", alert.id, "--by", EVIL],
  ["alerts", "assign", alert.id, EVIL, "--by", "Bo"],
  ["alerts", "assign", alert.id, `${EVIL} too`, "--by", "Bo", "--json"],
  ["alerts", "resolve", alert.id, "--json"],
  ["alerts", "ack", EVIL],
  ["alerts", "precision", "--last", "1000d"],
  ["alerts", "precision", "--last", "1000d", "--json"],
  ["why", alert.id, "--rules", join(ROOT, "rules")],
  ["why", alert.id, "--json", "--rules", join(ROOT, "rules")],
  ["coverage", "--rules", join(ROOT, "rules")],
  ["coverage", "--json", "--rules", join(ROOT, "rules")],
  ["dead-letters", "list"],
  ["dead-letters", "list", "--json"],
  ["redeliver"],
  ["redeliver", "nobody"],
  ["silence", "list"],
  ["silence", "list", "--json"],
  ["local-api", "get", "--json"],
  ["send-test", EVIL, "--config", "none"],
  ["check", "--config", EVIL],
];

it.each(COMMANDS)(
  "earshot %s %s: what strangers wrote reaches no terminal as a command to it",
  async (...words) => {
    const ran = await runCommand(words, { DATABASE_URL: url, EARSHOT_HOME: ROOT });
    const said = ran.stdout + ran.stderr;
    expect(said).not.toBe("");
    expect(said).not.toMatch(ACTING);
  },
);

/** What is left of EVIL wherever it was shown at all, escaped or cleaned. */
const SEEN = /2J/;

describe.each([{ json: [] }, { json: ["--json"] }])("with the flags $json", ({ json }) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "earshot-terminal-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function earshot(...words: readonly string[]): Promise<Ran> {
    const ran = await runCommand([...words, ...json], { DATABASE_URL: url, EARSHOT_HOME: ROOT });
    expect(ran.stdout + ran.stderr).not.toMatch(ACTING);
    if (json.length > 0 && ran.stdout !== "")
      for (const line of ran.stdout.trim().split(/\n(?=\{)/)) JSON.parse(line);
    return ran;
  }

  it.each([
    ["coverage", "--rules", join(ROOT, "rules")],
    ["dead-letters", "list"],
    [
      "silence",
      "add",
      "--match",
      `author=${EVIL}`,
      "--comment",
      EVIL,
      "--by",
      EVIL,
      "--rules",
      join(ROOT, "rules"),
    ],
    ["silence", "add", "--alert", open.id, "--comment", EVIL],
    ["silence", "list"],
  ])("earshot %s %s shows names and reasons of strangers, and they do nothing", async (...words) => {
    const ran = await earshot(...words);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ran.stdout).toMatch(SEEN);
  });

  it("earshot bounce shows what another mail server wrote", async () => {
    const file = join(folder, "message");
    const mail = pending({ ...alert, openedAt: NOW + json.length });
    await stores.notifications.addPending([mail]);
    const claimed = await stores.notifications.claim(mail.projectId, mail.id);
    if (claimed === null) throw new Error("the mail is not due");
    const ref = { messageId: `<${mail.id}@brand.example>`, to: "a@b.example", subject: EVIL, answer: EVIL };
    await stores.notifications.markSent(claimed, NOW, ref);
    const report = {
      quoted: { type: "message/rfc822", messageId: ref.messageId },
      to: "bounces@brand.example",
    };
    await writeFile(file, bounceMail({ ...report, status: statusPart({ diagnostic: `smtp; 550 ${EVIL}` }) }));
    expect((await earshot("bounce", file)).stdout).toMatch(SEEN);
    await writeFile(file, bounceMail({ ...report, status: statusPart({ action: `is ${EVIL}` }) }));
    expect((await earshot("bounce", file)).stdout).toMatch(/2j/);
    expect((await earshot("bounce", join(folder, EVIL))).stderr).toMatch(SEEN);
  });

  it("earshot send-test shows what vendors answer, be it yes or no", async () => {
    const smtp = await startScriptedSmtp("none");
    const answers: object[] = [];
    const slack = createServer((_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify(answers[0] ?? { ok: true, channel: EVIL, ts: EVIL, team: EVIL, user: EVIL }),
      );
    });
    await new Promise<void>((resolve) => slack.listen(0, "127.0.0.1", resolve));
    const apiUrl = `http://127.0.0.1:${(slack.address() as AddressInfo).port}/api/`;
    const config = join(folder, "earshot.yaml");
    const server = { host: smtp.host, port: smtp.port };
    await writeFile(
      config,
      JSON.stringify({
        source: { baseUrl: "http://127.0.0.1:9", username: "a", clientId: "c", password: "b" },
        receivers: [
          { name: "mail", kind: "email", to: "a@b.example", from: "c@d.example", smtp: server },
          { name: "chat", kind: "slack", channel: "C0123456789", token: "xoxb-1", apiUrl },
        ],
        routes: [{ receivers: ["mail", "chat"] }],
      }),
    );
    const sendTest = (name: string) => earshot("send-test", name, "--config", config);
    try {
      smtp.answers.message = `250 ${EVIL.replace("\r", "")}`;
      expect((await sendTest("mail")).stdout).toMatch(SEEN);
      smtp.answers.rcpt = `550 ${EVIL.replace("\r", "")}`;
      expect((await sendTest("mail")).stdout).toMatch(SEEN);
      expect((await sendTest("chat")).stdout).toMatch(SEEN);
      // What is no code of an error is not shown at all.
      answers.push({ ok: false, error: EVIL });
      expect((await sendTest("chat")).stdout).toMatch(/was not readable/);
    } finally {
      await smtp.close();
      slack.closeAllConnections();
      slack.close();
    }
  });
});

it("strangers' words are in what was looked at, as escapes in JSON that stays the same JSON", async () => {
  const { stdout } = await runCommand(["alerts", "--states", "all", "--json"], { DATABASE_URL: url });
  expect(stdout).toContain("\\u009b2J");
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ queryName: EVIL }));
  expect(showActing("a\tb\nc\u001b[31m")).toBe("a\tb\nc\\u001b[31m");
});

it("no command writes to the terminal but by the printer; progress lines are our own", async () => {
  const direct: string[] = [];
  const folder = join(ROOT, "src/cli");
  for (const file of await readdir(folder, { recursive: true })) {
    // The list of calls and its help are our own words.
    if (file === join("common", "print.ts") || file === "api.ts" || !file.endsWith(".ts")) continue;
    const text = await readFile(join(folder, file), "utf8");
    for (const [found] of text.matchAll(/console\.\w+\(|stdout\.write\([^)]*\)?/g))
      direct.push(`${file}: ${found}`);
  }
  expect(direct.sort()).toEqual([]);
});

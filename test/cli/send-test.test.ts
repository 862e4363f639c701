import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeSlack, startFakeSlack } from "../fakes/slack.ts";
import { type FakeSmtp, startFakeSmtp } from "../fakes/smtp.ts";
import { runCommand } from "./run-command.ts";

let folder: string;
let slack: FakeSlack;
let smtp: FakeSmtp;
let config: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "send-test-"));
  slack = await startFakeSlack({ channels: ["alerts"] });
  smtp = await startFakeSmtp();
  config = join(folder, "earshot.yaml");
  await writeFile(
    config,
    `source: { baseUrl: "https://listening.example", username: u, password: p, clientId: c }
receivers:
  - { name: comms, kind: slack, channel: "#alerts", token: "${slack.token}", apiUrl: "${slack.apiUrl}" }
  - { name: lost, kind: slack, channel: "#elsewhere", token: "${slack.token}", apiUrl: "${slack.apiUrl}" }
  - { name: desk, kind: email, to: desk@brand.example, from: earshot@brand.example, smtp: { host: 127.0.0.1, port: ${smtp.port} } }
routes: [{ receivers: [comms] }]
`,
  );
});
afterEach(async () => {
  await Promise.all([slack.close(), smtp.close(), rm(folder, { recursive: true })]);
});

test("a Slack receiver gets a message that says it is a test, and its channel is printed", async () => {
  const ran = await runCommand(["send-test", "comms", "--config", config]);
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  expect(ran.stdout).toMatch(/comms: Slack took the message\n {2}channel +C\w+\n {2}ts +\d+\.\d+/);
  expect(await slack.messages()).toMatchObject([{ text: expect.stringMatching(/test/i) }]);
});

test("an email receiver gets a mail, and the mail server's answer is printed", async () => {
  const ran = await runCommand(["send-test", "desk", "--config", config, "--what", "digest"]);
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(ran.stdout).toMatch(/answer +250 /);
  expect(smtp.mails[0]?.to).toEqual(["desk@brand.example"]);
});

test("a missing channel is reported before anything is sent, with what to do", async () => {
  const ran = await runCommand(["send-test", "lost", "--config", config]);
  expect(ran.exitCode).toBe(1);
  expect(ran.stdout).toContain("Slack shows the app no channel #elsewhere");
  expect(ran.stdout).toMatch(/what to do Check the channel's name or id and invite the app/);
  expect(ran.stdout).toContain("would be given up");
  expect(await slack.messages()).toEqual([]);
});

test("a refusal of the mail server is printed in its words, without secrets, also as JSON", async () => {
  smtp.faults.push({ at: "rcpt", code: 550, text: "no such user here" });
  const ran = await runCommand(["send-test", "desk", "--config", config, "--json"]);
  expect(ran.exitCode).toBe(1);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    receiver: "desk",
    outcome: "Failed",
    step: "send",
    retryable: false,
    error: expect.stringContaining("550 no such user here"),
    advice: expect.stringContaining("address"),
  });
});

test("a rotation is the receiver whose turn it is", async () => {
  const rotation = "rotations: [{ name: phone, timezone: UTC, receivers: [desk] }]\n";
  await writeFile(config, `${await readFile(config, "utf8")}${rotation}`);
  const ran = await runCommand(["send-test", "phone", "--config", config]);
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(ran.stdout).toMatch(/^phone is a rotation: it is the turn of desk\ndesk: the mail server took/);
  expect(smtp.mails[0]?.to).toEqual(["desk@brand.example"]);
});

test("an unknown receiver is the user's error", async () => {
  const ran = await runCommand(["send-test", "coms", "--config", config]);
  expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('did you mean "comms"?') });
});

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findChromium } from "../../src/monitor/notify/previews/take-pictures.ts";
import { runCommand } from "./run-command.ts";

let out: string;
beforeEach(async () => {
  out = await mkdtemp(join(tmpdir(), "preview-"));
});
afterEach(() => rm(out, { recursive: true }));

test("a sample becomes Slack JSON, a subject, HTML and text", async () => {
  const ran = await runCommand(["preview", "digest", "--sample", "quiet", "--out", out, "--no-pictures"]);
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await readdir(out)).sort()).toEqual([
    "digest-quiet.html",
    "digest-quiet.slack.json",
    "digest-quiet.subject.txt",
    "digest-quiet.txt",
  ]);
  expect(JSON.parse(await readFile(join(out, "digest-quiet.slack.json"), "utf8"))).toMatchObject({
    blocks: expect.any(Array),
  });
});

test.skipIf(findChromium("") !== null)(
  "without a browser (skipped: this machine has one outside the PATH) everything else is written, and it is said",
  async () => {
    const ran = await runCommand(["preview", "alert", "--out", out], { PATH: "" });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain("No pictures: no chromium");
    expect(await readdir(out)).toHaveLength(4);
  },
);

const path = process.env["PATH"] ?? "";
test.skipIf(findChromium(path) === null)(
  "with a browser (skipped: no Chromium on the PATH) there are pictures of the email: light, dark, and on a phone",
  async () => {
    const ran = await runCommand(["preview", "alert", "--out", out], { PATH: path });
    expect(ran.exitCode).toBe(0);
    // Said where the machine has no font for emoji, and nothing else.
    expect(ran.stderr).toMatch(/^(The pictures have boxes for emoji: [^\n]*\n)?$/);
    for (const look of ["light", "dark", "phone"]) {
      const png = await readFile(join(out, `alert-fired.${look}.png`));
      expect(png.subarray(1, 4).toString()).toBe("PNG");
      expect(png.readUInt32BE(16)).toBe(look === "phone" ? 780 : 1360);
    }
  },
);

test("one template is shown by its name alone, as text or as a page with pictures", async () => {
  const ran = await runCommand(["preview", "email/alert.txt", "--sample", "resolved", "--out", out]);
  expect(ran).toMatchObject({
    exitCode: 0,
    stderr: "",
    stdout: `${join(out, "email-alert-resolved.txt")}\n`,
  });
  expect(await readFile(join(out, "email-alert-resolved.txt"), "utf8")).toMatch(/^RESOLVED: Northwind/);
  const header = await runCommand(["preview", "slack/alert-mention.header.hbs", "--json"]);
  expect(JSON.parse(header.stdout)).toEqual({
    name: "slack-alert-mention-fired.txt",
    text: expect.stringContaining("120.4k followers"),
  });
  await runCommand(["preview", "email/digest.html", "--out", out, "--no-pictures"]);
  expect(await readFile(join(out, "email-digest-full.html"), "utf8")).toContain("1,204 mentions");
});

test("the mail of a sample is previewed with its chart embedded", async () => {
  const ran = await runCommand(["preview", "alert", "--json"]);
  const { email } = JSON.parse(ran.stdout) as { email: { html: string; shown: string } };
  expect(email.html).toContain("cid:chart@earshot");
  expect(email.shown).toContain('src="data:image/svg+xml;base64,');
});

test.each([
  [["preview", "nothing"], /known are alert and digest/],
  [["preview", "email/alrt.txt"], /did you mean "email\/alert.txt"\?/],
  [["preview", "alert", "--sample", "nothing"], /known are fired, escalated/],
  [["preview", "digest", "--alert", "1"], /goes with the template alert/],
])("%j is reported as the user's error", async (args, says) => {
  const ran = await runCommand([...args, "--out", out]);
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toMatch(says);
});

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { siblingDatabases } from "../../src/monitor/store/sibling-database.ts";
import { runCommand } from "./run-command.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-test-command-"));
  await mkdir(join(folder, "rules", "tests"), { recursive: true });
  await writeFile(
    join(folder, "rules", "refunds.yaml"),
    `description: People want their money back.
severity: { warning: always, critical: { atLeast: 20, within: 15m } }
when: { keyword: [refund] }
volume: { atLeast: 10, within: 15m }
over: { after: 30m }
`,
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const BEGINNING = `rule: refunds
start: 2026-03-02T08:50 Europe/Berlin
story:
  - { at: "09:00", mentions: 12 within 4m, text: [A refund please, "<!channel> refund & more"] }
`;
const STORY = `${BEGINNING}\
  - { at: "09:10", acknowledge: refunds }
  - { at: "09:20", mentions: 20 within 4m, text: refund now }
  - { at: "11:00", silence: { rule: refunds, for: 1h } }
  - { at: "11:10", mentions: 30 within 4m, text: refund again }
`;

async function write(name: string, story: string, expected: string): Promise<string> {
  const file = join(folder, "rules", "tests", `${name}.test.yaml`);
  await writeFile(file, `${story}expect:\n${expected}`);
  return file;
}

const run = (...args: string[]) =>
  runCommand(["test", "--rules", join(folder, "rules"), ...args], {
    DATABASE_URL: inject("postgresUrl"),
    EARSHOT_CONFIG: join(folder, "none.yaml"),
  });

test("a story goes through the whole line: acts of people, severity, silences, and hostile text", async () => {
  await write(
    "story",
    STORY,
    `  - { by: "09:05", alert: firing, severity: warning, to: [comms], slack: "*refund please*" }
  - { by: "09:10", alert: acknowledged }
  - { by: "09:25", alert: firing, severity: critical, to: [crisis, on-call], email: contains "32" }
  - { by: "10:05", alert: resolved }
  - { by: "11:15", alert: firing, after: "11:10" }
  - { never: { to: [comms], after: "11:01", before: "11:55" } }
  - { never: { slack: "<!channel>", before: "09:15" } }
`,
  );
  const report = join(folder, "report.xml");
  const { exitCode, stdout, stderr } = await run("--junit", report);
  // Text of strangers is shown, and it acts nowhere: this one must not pass.
  expect(stdout).toContain("FAILED  story");
  expect(stdout).toMatch(/story\.test\.yaml:16 {2}comms got at 09:05: /);
  expect(stdout).toContain("What happened");
  expect(stdout).toContain("09:00  story     12 neutral mentions of Acme");
  expect(stdout).toMatch(/09:25 {2}alert {5}refunds of Acme: firing, critical/);
  expect(stdout).toMatch(/11:15 {2}decided {3}refunds: Held by a silence/);
  expect(stdout).toContain("1 rule test: 0 passed, 1 failed");
  expect(stderr).toContain("1 of 1 rule test failed");
  expect(exitCode).toBe(1);
  const xml = await readFile(report, "utf8");
  expect(xml).toContain('<testcase name="story" classname="rules"');
  expect(xml).toContain("&quot;refund&quot;");
  const left = await siblingDatabases(inject("postgresUrl"), "earshot_rule_test_");
  expect(left.filter((name) => name.includes(`_${process.pid}_`))).toEqual([]);
});

test("a snapshot holds the messages; another text is a difference with its line", async () => {
  const file = await write("story", BEGINNING, '  - { by: "09:05", alert: firing }\n');
  const snapshot = join(folder, "rules", "tests", "snapshots", "story.txt");
  expect((await run("--update", file)).exitCode).toBe(0);
  const written = await readFile(snapshot, "utf8");
  expect(written).toContain("=== 09:05  slack to comms");
  expect((await run(file)).exitCode).toBe(0);
  // No test failed: it is an error of whoever typed the flag.
  const unwritten = await run("--json", "--junit", join(folder, "none", "report.xml"), file);
  expect([unwritten.exitCode, unwritten.stderr]).toEqual([2, expect.stringContaining("cannot be written")]);
  expect(JSON.parse(unwritten.stdout)).toMatchObject({ tests: [{ outcome: "Passed" }] });
  await writeFile(snapshot, written.replace("refund", "payment"));
  const { exitCode, stdout } = await run(file);
  expect(exitCode).toBe(1);
  expect(stdout).toContain("the messages differ from");
  expect(stdout).toContain("payment");
});

test("files with faults, unknown names and no tests at all say what to do", async () => {
  const wrong = await write("story", BEGINNING, '  - { by: "09:05", alert: firing, to: [coms] }\n');
  const unknown = await run(wrong);
  expect(unknown.exitCode).toBe(1);
  expect(unknown.stdout).toContain("BROKEN  story");
  expect(unknown.stdout).toMatch(/there is no receiver "coms".*did you mean "comms"\?/);
  const none = await runCommand(["test", "--rules", join(folder, "rules", "tests", "..", "..", "other")], {
    DATABASE_URL: inject("postgresUrl"),
    EARSHOT_CONFIG: join(folder, "none.yaml"),
  });
  expect(none.exitCode).toBe(2);
  const missing = await run(join(folder, "nothing.test.yaml"));
  expect(missing.exitCode).toBe(2);
  expect(missing.stderr).toContain("there is no file");
});

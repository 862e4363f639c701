import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../src/cli/create-program.ts";
import { loadConfig } from "../src/config.ts";
import { describeFault } from "../src/lib/fault.ts";
import { parseRule } from "../src/rules/parse-rule.ts";

const ROOT = join(import.meta.dirname, "..");
const README = "README.md";
const ALL = [
  README,
  "CONTRIBUTING.md",
  "rules/README.md",
  "templates/README.md",
  "test/README.md",
  "workers/README.md",
];
const scripts = (JSON.parse(read("package.json")) as { scripts: Record<string, string> }).scripts;
const program = await createProgram({});

test.each(ALL)("every command that %s names exists, with its flags", (file) => {
  const commands = commandsOf(read(file));
  expect(commands.map(faultOf).filter((fault) => fault !== null)).toEqual([]);
});

test("a command, script, flag or file that does not exist is noticed", () => {
  const wrong = [
    "earshot wyh",
    "earshot check --colour",
    "earshot local-api serve",
    "earshot local-api create client Acme --colour",
    "npm run chek",
    "npm start -- --speedy 3",
    "npx tsx test/none.ts",
    "node dist/workers/none.js",
  ];
  expect(wrong.map(faultOf)).not.toContain(null);
});

test("the README opens with exactly two commands", () => {
  const [opening = ""] = read(README).split(/^## /m);
  expect(blocksOf(opening, "sh")).toEqual(["npm ci && npm start\n", "npm ci && npm test\n"]);
});

test.each(ALL)("every relative link of %s leads to a file", (file) => {
  const targets = [...read(file).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(
    (match) => match[1] ?? "",
  );
  expect(targets.filter((target) => !existsSync(join(ROOT, dirname(file), target)))).toEqual([]);
});

test("the code map names the folders of src, each once", () => {
  const named = [...read(README).matchAll(/^\| `src\/([a-z-]+)` \|/gm)].map((match) => match[1]);
  const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(named.sort()).toEqual(folders.map((folder) => folder.name).sort());
});

test("every configuration in a README is sound", async () => {
  const configurations = ALL.flatMap((file) => blocksOf(read(file), "yaml")).filter((text) =>
    text.startsWith("# earshot.yaml"),
  );
  expect(configurations.length).toBeGreaterThan(0);
  for (const text of configurations) await loadFrom(text);
});

test("every rule in the README is sound", () => {
  const rules = blocksOf(read(README), "yaml").flatMap((text) => {
    const name = /^# rules\/([a-z0-9-]+)\.yaml\n/.exec(text)?.[1];
    return name === undefined ? [] : [parseRule(name, `${name}.yaml`, text)];
  });
  expect(rules.flatMap((rule) => ("faults" in rule ? rule.faults.map(describeFault) : []))).toEqual([]);
  expect(rules.length).toBeGreaterThan(1);
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

function blocksOf(markdown: string, language: string): string[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap((match) =>
    match[1] === language ? [match[2] ?? ""] : [],
  );
}

/** Lines of shell blocks, and code inside sentences that begins like a command. */
function commandsOf(markdown: string): string[] {
  const lines = blocksOf(markdown, "sh").flatMap((block) => block.trim().split("\n"));
  const inline = [...markdown.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(
    (match) => match[1] ?? "",
  );
  return [...lines, ...inline]
    .flatMap((line) => line.split("&&"))
    .map((command) => command.trim().replace(/^(?:[A-Z_]+=\S+ )+/, ""))
    .filter((command) => /^(?:npm|npx|earshot|node) /.test(command));
}

/** What is wrong with a command; null when nothing is. */
function faultOf(command: string): string | null {
  const [tool = "", ...words] = command.replace(/\s+[<>].*$/, "").split(/\s+/);
  if (tool === "earshot") return faultOfEarshot(words);
  if (tool === "node") return faultOfNode(words);
  if (tool === "npx") return faultOfNpx(command, words);
  const [verb = "", ...rest] = words.filter((word) => word !== "-s");
  if (verb === "ci") return null;
  const [script = "", ...more] = verb === "run" ? rest : [verb, ...rest];
  if (!Object.hasOwn(scripts, script)) return `there is no script "${script}": ${command}`;
  const behind = more[0] === "--" ? more.slice(1) : more;
  if (script === "start") return faultOfEarshot(["start", ...behind]);
  if (script === "earshot") return faultOfEarshot(behind);
  return script === "test" ? faultOfPaths(behind) : null;
}

/** Words lead down to a command as long as it has commands of its own. */
function faultOfEarshot(
  words: readonly string[],
  within: Command = program,
  path = "earshot",
): string | null {
  const [name = "", ...rest] = words;
  const command = within.commands.find((one) => one.name() === name);
  if (command === undefined) {
    return within === program || !name.startsWith("-") ? `there is no command "${path} ${name}"` : null;
  }
  const called = `${path} ${name}`;
  if (command.commands.length > 0 && rest[0] !== undefined && !rest[0].startsWith("-"))
    return faultOfEarshot(rest, command, called);
  const flags = rest.filter((word) => word.startsWith("--"));
  const unknown = flags.find(
    (flag) => !command.options.some((option) => option.long === flag) && flag !== "--help",
  );
  return unknown === undefined ? null : `${called} has no flag ${unknown}`;
}

function faultOfNode([file = "", ...words]: readonly string[]): string | null {
  if (file === "dist/src/cli/main.js") return faultOfEarshot(words);
  return faultOfPaths([file.replace(/^dist\//, "").replace(/\.js$/, ".ts")]);
}

function faultOfNpx(command: string, [tool = "", ...words]: readonly string[]): string | null {
  if (tool === "tsx") return faultOfPaths(words);
  if (tool === "vitest" && words[0] === "run") return faultOfPaths(words.slice(1));
  return `unknown: ${command}`;
}

function faultOfPaths(words: readonly string[]): string | null {
  const missing = words.find((word) => !word.startsWith("-") && !existsSync(join(ROOT, word)));
  return missing === undefined ? null : `there is no ${missing}`;
}

/** Through the loader that reads earshot.yaml, in a folder that has the secrets it names. */
async function loadFrom(text: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-readme-"));
  try {
    await writeFile(join(folder, "earshot.yaml"), text);
    for (const [, path = ""] of text.matchAll(/_file: ([^\s,}]+)/g)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), "a secret\n");
    }
    const names = [...text.matchAll(/\$\{(\w+)\}/g)].map((match) => match[1] ?? "");
    await loadConfig(
      join(folder, "earshot.yaml"),
      Object.fromEntries(names.map((name) => [name, "a secret"])),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

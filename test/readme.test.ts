import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { loadConfig } from "../src/admin/config/config.ts";
import { ConfigFile } from "../src/admin/config/config-file.ts";
import { createProgram } from "../src/cli/create-program.ts";
import { RuleTestFile } from "../src/lab/rule-tests/test-file.ts";
import { describeFault, UserError } from "../src/lib/errors.ts";
import { readAccountFile } from "../src/listening-api/account/account-file.ts";
import { AccountContent } from "../src/listening-api/account/account-schema.ts";
import { OPERATOR_RULES } from "../src/monitor/model/operator-rules.ts";
import { parseRule } from "../src/monitor/rules/parse-rule.ts";
import { SourceConfig } from "../src/monitor/source/source-config.ts";
import { schemaFaults } from "./schema-faults.ts";

const ROOT = join(import.meta.dirname, "..");
const README = "README.md";
const ARCHITECTURE = "docs/architecture.md";
/** Pages of folders that keep their page beside what it is about. */
const BESIDE = [
  ...["rules", "templates", "test", "workers"],
  ...readdirSync(join(ROOT, "src")).map((room) => `src/${room}`),
].map((folder) => `${folder}/README.md`);
const ALL = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...BESIDE,
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];
const CODE_BLOCK = /^ *```[\s\S]*?^ *```$/gm;
const scripts = (JSON.parse(read("package.json")) as { scripts: Record<string, string> }).scripts;
const program = await createProgram({});

test("the README has at most 10 KB", () => {
  expect(Buffer.byteLength(read(README))).toBeLessThanOrEqual(10 * 1024);
});

test("the README opens with exactly two commands", () => {
  const [opening = ""] = read(README).split(/^## /m);
  expect(blocksOf(opening, "sh")).toEqual(["npm ci && npm start\n", "npm ci && npm test\n"]);
});

test.each(ALL)("every command that %s names exists, with its flags", (file) => {
  const commands = commandsOf(read(file));
  expect(commands.map(faultOf).filter((fault) => fault !== null)).toEqual([]);
});

test("every example in --help exists, with its flags", () => {
  const examples = helpsOf(program).flatMap((help) =>
    [...help.matchAll(/^ {2}((?:[A-Z_]+=\S+ )?earshot .*?)(?: {2,}.*)?$/gm)].map(([, line = ""]) => line),
  );
  expect(examples.length).toBeGreaterThan(80);
  const commands = examples
    .flatMap((line) => line.split(/ \| |&& /))
    .map((one) => one.replace(/^[A-Z_]+=\S+ /, ""));
  const faults = commands.filter((one) => one.startsWith("earshot ")).map(faultOf);
  expect(faults.filter((fault) => fault !== null)).toEqual([]);
});

test("a command, script, flag or file that does not exist is noticed", () => {
  const wrong = [
    "earshot wyh",
    "earshot check --colour",
    "earshot local-api serve",
    "earshot alerts ack --colour",
    "npm run chek",
    "npm start -- --speedy 3",
    "npx tsx test/none.ts",
    "node dist/workers/none.js",
  ];
  expect(wrong.map(faultOf)).not.toContain(null);
});

test.each(ALL)("every relative link of %s leads to a file, and to a heading that is in it", (file) => {
  expect(linksOf(file).filter(({ target, anchor }) => !leadsSomewhere(target, anchor))).toEqual([]);
});

test("a link to a missing file or heading is noticed", () => {
  expect(leadsSomewhere("docs/none.md", null)).toBe(false);
  expect(leadsSomewhere(README, "no-such-heading")).toBe(false);
  expect(leadsSomewhere(README, "configure-it")).toBe(true);
});

test("every page can be reached from the README", () => {
  const reached = new Set([README]);
  for (const file of reached)
    for (const { target } of linksOf(file)) if (ALL.includes(target)) reached.add(target);
  expect(ALL.filter((file) => !reached.has(file))).toEqual([]);
});

test.each(ALL)("every file and folder that %s names exists", (file) => {
  const folders = [ROOT, join(ROOT, dirname(file))];
  const isThere = (name: string) => folders.some((folder) => existsSync(join(folder, name)));
  expect(filesNamedIn(read(file)).filter((name) => !isThere(name))).toEqual([]);
});

test("the architecture page names files in each of its walks; the test above looks for them", () => {
  const polls = read(ARCHITECTURE)
    .split(/^## Walk /m)
    .slice(1);
  expect(polls.map((walk) => filesNamedIn(walk).length >= 8)).toEqual([true, true, true]);
});

/** The page says how this is counted. */
test("the walk of a mention is short: at most 75 files and 22 changes of folder", () => {
  const [, walk = ""] = /^## Walk 1.*?\n(.*?)^\*\*Later\.\*\*/ms.exec(read(ARCHITECTURE)) ?? [];
  const steps = walk.replace(/^\*\*Judge windows\.\*\*.*?(?=^\*\*Decide\.\*\*)/ms, "");
  const files = [...new Set(filesNamedIn(steps).filter((name) => name.startsWith("src/")))];
  const folders = files.map((file) => file.split("/")[2]);
  const changes = folders.filter((folder, nth) => nth > 0 && folder !== folders[nth - 1]).length;
  expect(files.length).toBeGreaterThan(50);
  expect(files.length).toBeLessThanOrEqual(75);
  expect(changes).toBeLessThanOrEqual(22);
  expect(read(ARCHITECTURE).replaceAll(/\s+/g, " ")).toContain(
    `Steps 1 to 17 name ${files.length} files and change the folder of the monitor ${changes} times`,
  );
});

test.each([
  ["rooms of src", "src", /^\| `src\/([a-z-]+)` \|/gm],
  ["folders of the monitor", "src/monitor", /^\| `src\/monitor\/([a-z-]+)` \|/gm],
])("the code map names the %s, each once", (_, folder, row) => {
  const named = [...read(ARCHITECTURE).matchAll(row)].map((match) => match[1]);
  const folders = readdirSync(join(ROOT, folder), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(named.sort()).toEqual(folders.map(({ name }) => name).sort());
});

test.each(ALL)("every YAML example of %s is valid", async (file) => {
  for (const text of blocksOf(read(file), "yaml")) expect(await faultsOfYaml(text), text).toEqual([]);
});

test("a YAML example with a mistake is noticed, and so is one that says not what it is", async () => {
  const wrong = [
    "receivers:\n  - { name: a, kind: slack, chanel: '#a', token: t }\n",
    "web: { prot: 8080 }\n",
    "routes:\n  - { receivers: [nobody] }\n",
    "description: d\nseverity: high\nwhen: { sentiment: negative }\n",
    "sauce: { baseUrl: x }\n",
  ];
  for (const text of wrong) expect(await faultsOfYaml(text), text).not.toEqual([]);
  expect(await faultsOfYaml("# prometheus.yml\nscrape_configs: []\n")).toEqual([]);
});

test("the pages name every command, every section and key of the source, and every alert about Earshot itself", () => {
  const pages = ALL.map(read).join("\n");
  const commands = program.commands.map((command) => `earshot ${command.name()}`);
  expect(commands.filter((command) => !pages.includes(command))).toEqual([]);
  const keys = [ConfigFile, SourceConfig].flatMap((schema) => Object.keys(schema.shape));
  const configuration = read("docs/configuration.md");
  expect(keys.filter((key) => !configuration.includes(`\`${key}\``))).toEqual([]);
  const operations = read("docs/operations.md");
  expect(Object.keys(OPERATOR_RULES).filter((rule) => !operations.includes(`| \`${rule}\` |`))).toEqual([]);
});

/** Links of a page as paths from the root, without those to other sites. */
function linksOf(file: string): { target: string; anchor: string | null }[] {
  const text = read(file).replaceAll(CODE_BLOCK, "");
  return [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)].map(
    ([, path = "", anchor]) => ({
      target: path === "" ? file : join(dirname(file), path),
      anchor: anchor ?? null,
    }),
  );
}

function leadsSomewhere(target: string, anchor: string | null): boolean {
  if (!existsSync(join(ROOT, target))) return false;
  if (anchor === null || !target.endsWith(".md")) return true;
  const headings = [...read(target).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return headings.includes(anchor);
}

/** What is in backticks and looks like a path from the root or from the page's folder; with `<…>` or `*` in it, it is a pattern and no path. */
function filesNamedIn(markdown: string): string[] {
  const text = markdown.replaceAll(CODE_BLOCK, "");
  return [...text.matchAll(/`((?:src|test|workers|rules|templates|docs)\/[\w./-]*)`/g)].map(
    ([, name = ""]) => name,
  );
}

/**
 * What is wrong with an example. It is known by its keys: those of `earshot.yaml`, whole or in part (what is missing
 * is put beside it), those of an account file, or those of a rule. A file of another program is named in its first line.
 */
async function faultsOfYaml(text: string): Promise<string[]> {
  const content: unknown = parse(text);
  const keys = typeof content === "object" && content !== null ? Object.keys(content) : [];
  if (keys.includes("description") && keys.includes("severity")) {
    const name = /^# (?:rules\/)?([a-z0-9-]+)\.yaml\n/.exec(text)?.[1] ?? "example";
    const rule = parseRule(name, `${name}.yaml`, text);
    return "faults" in rule ? rule.faults.map(describeFault) : [...schemaFaults("rule", content)];
  }
  if (keys.includes("story") && keys.includes("expect")) {
    const { success, error } = RuleTestFile.safeParse(content);
    return success ? [] : error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  }
  if (keys.length > 0 && keys.every((key) => Object.hasOwn(ConfigFile.shape, key))) {
    const part = content as Record<string, unknown>;
    const whole = { ...partsAround(part), ...part };
    return loadFrom(stringify(whole)).then(
      () => [...schemaFaults("config", whole)],
      (error: unknown) => (error instanceof UserError ? [error.message, ...error.details] : [String(error)]),
    );
  }
  if (keys.length > 0 && keys.every((key) => Object.hasOwn(AccountContent.shape, key))) {
    try {
      readAccountFile("account.yaml", text);
      return [];
    } catch (error) {
      return error instanceof UserError ? [error.message, ...error.details] : [String(error)];
    }
  }
  const isForeign = /^# (?!earshot\.|rules\/)[\w.-]+\.ya?ml\b/.test(text);
  return isForeign ? [] : [`neither a configuration nor a rule: ${keys.join(", ")}`];
}

/** What a part of a configuration needs beside it to be read. */
function partsAround(part: Readonly<Record<string, unknown>>): object {
  const receivers = (part["receivers"] ?? RECEIVERS) as readonly { readonly name: string }[];
  return {
    ...("listen" in part ? {} : { source: SOURCE }),
    receivers,
    routes: [{ receivers: [receivers[0]?.name ?? ""] }],
  };
}

const SOURCE = { baseUrl: "https://listening.example", username: "u", password: "p", clientId: "c" };
const RECEIVERS = [
  { name: "comms", kind: "slack", channel: "#brand-alerts", token: "xoxb-1" },
  {
    name: "on-call",
    kind: "email",
    to: "on-call@brand.example",
    from: "earshot@brand.example",
    smtp: { host: "mail.brand.example" },
  },
];

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

function blocksOf(markdown: string, language: string): string[] {
  return [...markdown.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)].flatMap((match) =>
    match[1] === language ? [match[2] ?? ""] : [],
  );
}

/** Lines of shell blocks, and code inside sentences that begins like a command. */
function commandsOf(markdown: string): string[] {
  const lines = blocksOf(markdown, "sh").flatMap((block) => block.trim().split("\n"));
  const inline = [...markdown.replaceAll(CODE_BLOCK, "").matchAll(/`([^`\n]+)`/g)].map(
    (match) => match[1] ?? "",
  );
  return [...lines, ...inline]
    .flatMap((line) => line.split("&&"))
    .map((command) =>
      command
        .trim()
        .replace(/^(?:[A-Z_]+=\S+ )+/, "")
        .replace(/\s+#.*$/, ""),
    )
    .filter((command) => /^(?:npm|npx|earshot|node) /.test(command));
}

/** The help of a command and of all commands in it. */
function helpsOf(command: Command): string[] {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => void parts.push(part) });
  command.outputHelp();
  return [parts.join(""), ...command.commands.flatMap(helpsOf)];
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
  // `npm run -s earshot --`, of which the rest is left to the reader.
  if (within === program && (name === "" || name === "--help")) return null;
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
  if (tool === "vitest" && words[0] === "run")
    return faultOfPaths(words.slice(1).filter((_, index) => words[index] !== "--project"));
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
    const env = Object.fromEntries(names.map((name) => [name, secretFor(name)]));
    await loadConfig(join(folder, "earshot.yaml"), env);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Some secrets are known by their form. */
function secretFor(name: string): string {
  if (name.endsWith("_URL")) return "https://vendor.example/key";
  return name.includes("APP_TOKEN") ? "xapp-1" : "a-secret-of-some-length";
}

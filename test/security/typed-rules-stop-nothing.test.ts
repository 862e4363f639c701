import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY } from "../../src/lib/instant.ts";
import { storeWeeks } from "../console/rule-stories.ts";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { aVisitor, type ConsoleVisitor, tokenIn } from "./console-visitor.ts";
import { worstAnswerWhile } from "./worst-answer.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const LOGIN = { username: "ann", password: "correct horse" };
/** What anybody waits for an answer of the process, whatever others type. */
const MOST_MS = 500;
const LONGEST_RULE = 20_000;

let folder: string;
let web: TestConsole;
let visitor: ConsoleVisitor;
let token: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-typed-"));
  await writeFile(
    join(folder, "a-rule.yaml"),
    "description: d\nseverity: info\nwhen: { sentiment: negative }\n",
  );
  web = await startTestConsole(NOW, {
    folder,
    settings: { login: LOGIN, editRules: true, admins: [LOGIN.username] },
  });
  await storeWeeks(web.stores, NOW, NOW - 2 * DAY);
  visitor = aVisitor(web.url);
  await visitor.logIn(LOGIN.username, LOGIN.password);
  const page = await (await visitor.ask("/rules/try")).text();
  token = tokenIn(page.split('<main id="main"')[1] ?? "");
});
afterAll(async () => {
  await web.close();
  await rm(folder, { recursive: true });
});

/** A rule with as many of these parts as fit into the text. */
const rule = (size: number, before: string, part: (n: number) => string, after = ""): string => {
  let text = `description: d\nseverity: warning\n${before}`;
  for (let n = 0, next = part(n); text.length + next.length + after.length <= size; next = part(++n))
    text += next;
  return text + after;
};
const nested = "(a{1,1000}|".repeat(8);
const deep = (size: number): string => {
  const levels = Math.floor(Math.sqrt(size * 2)) - 10;
  return Array.from({ length: levels }, (_, n) => `${" ".repeat(n)}a:\n`).join("");
};

const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  "keys of a map": (size) =>
    `{${Array.from({ length: size / 6 }, (_, n) => n).join(",")}}`.slice(0, size - 1),
  conditions: (size) => rule(size, "when:\n  any:\n", (n) => `    - tag: t${n}\n`),
  "unknown keys": (size) => rule(size, "when: { tag: a }\n", (n) => `k${n}: 1\n`),
  "unknown conditions": (size) => rule(size, "when:\n", (n) => `  k${n}: 1\n`),
  "keywords, a valid rule": (size) => rule(size, "when:\n  keyword: [", (n) => `word${n}, `, "last]\n"),
  "conditions, a valid rule": (size) =>
    rule(Math.min(size, 15_000), "when:\n  any:\n", (n) => `    - tag: t${n}\n`),
  "wrong values": (size) => rule(size, "when:\n  keyword: [", () => "[],", "a]\n"),
  "steps of severity": (size) =>
    `description: d\nwhen: { tag: a }\nseverity:\n  info: always\n  warning: [${"{mentions: x},".repeat(size / 15)}]\n`,
  brackets: (size) => "[".repeat(size - 1),
  "closed brackets": (size) => "]".repeat(size - 1),
  commas: (size) => `[${",".repeat(size - 2)}]`,
  "levels of indentation": deep,
  "levels of lists": (size) => rule(size, "when: ", () => "[", ""),
  aliases: (size) => rule(size, "when: { tag: a }\nx: &x [[], [], [], [], []]\ny: [", () => "*x, ", "*x]\n"),
  "aliases of aliases": (size) =>
    rule(size, "a0: &a0 [x, x, x, x, x]\n", (n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}]\n`),
  anchors: (size) => rule(size, "x: [", (n) => `&a${n} x, `, "*a0]\n"),
  tags: (size) => rule(size, "x: [", () => "!x x, ", "x]\n"),
  directives: (size) => "%A\n".repeat(size / 3),
};

/** Patterns that take seconds to compile. */
const COSTLY: Readonly<Record<string, (size: number) => string>> = {
  patterns: (size) => rule(size, "when:\n  any:\n", () => `    - pattern: "${nested}x${")".repeat(8)}"\n`),
  "one large pattern after the other": (size) =>
    rule(size, "when:\n  any:\n", () => `    - pattern: "(${"abcdefghij".repeat(90)}){1,1000}"\n`),
};

type Send = readonly [path: string, fields: Record<string, string>, headers?: Record<string, string>];

async function send(posts: readonly Send[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const [path, fields, headers] of posts)
    statuses.push((await visitor.post(path, { token, mode: "yaml", days: "14", ...fields }, headers)).status);
  return statuses;
}

/** The worst time of /healthz meanwhile, and what the work gave. */
async function watched<T>(work: () => Promise<T>): Promise<{ readonly worst: number; readonly result: T }> {
  const results: T[] = [];
  const worst = await worstAnswerWhile(async () => results.push(await work()), `${web.url}/healthz`);
  return { worst, result: results[0] as T };
}

test.each(Object.entries(SHAPES))("%s: the process answers meanwhile", async (_, make) => {
  const text = make(LONGEST_RULE);
  expect(text.length).toBeLessThanOrEqual(LONGEST_RULE);
  const { worst, result } = await watched(() =>
    send([
      ["/rules/try", { text }, { "hx-request": "true" }],
      ["/rules/try", { text, show: "form" }],
    ]),
  );
  expect(worst).toBeLessThan(MOST_MS);
  expect(result).toEqual([200, 200]);
});

test("what is saved is read in the same way", async () => {
  const { worst, result } = await watched(() =>
    send([
      ["/rules/save", { text: SHAPES["unknown keys"]?.(LONGEST_RULE) ?? "", name: "new-one" }],
      ["/rules/save", { text: SHAPES["keywords, a valid rule"]?.(LONGEST_RULE) ?? "", name: "new-one" }],
    ]),
  );
  expect(worst).toBeLessThan(MOST_MS);
  expect(result).toEqual([409, 200]);
});

test.each([60_000, 100_000])(
  "texts of %d letters are not read at all, however they are sent",
  async (size) => {
    const texts = ["keys of a map", "conditions", "closed brackets", "aliases"].map(
      (name) => SHAPES[name]?.(size) ?? "",
    );
    const { worst } = await watched(() =>
      send(
        texts.flatMap((text): Send[] => [
          ["/rules/try", { text }, { "hx-request": "true" }],
          ["/rules/try", { mode: "form", base: text, show: "yaml" }],
          ["/rules/save", { text, name: "new-one" }],
          ["/rules/download", { text }],
        ]),
      ),
    );
    expect(worst).toBeLessThan(MOST_MS);
  },
);

test.each(Object.entries(COSTLY))("%s: reading is ended, and the page says so", async (_, make) => {
  const fields = { token, mode: "yaml", days: "14", text: make(LONGEST_RULE) };
  const { worst, result } = await watched(async () =>
    (await visitor.post("/rules/try", fields, { "hx-request": "true" })).text(),
  );
  expect(worst).toBeLessThan(MOST_MS);
  expect(result).toContain("takes too much time or memory to read");
});

test("a rule that is tried gets no more states than a long mention can bear", async () => {
  const text = (pattern: string) => `description: d\nseverity: info\nwhen: { pattern: "${pattern}" }\n`;
  const outcome = async (pattern: string) =>
    (
      await visitor.post(
        "/rules/try",
        { token, mode: "yaml", days: "14", text: text(pattern) },
        { "hx-request": "true" },
      )
    ).text();
  expect(await outcome(".{0,1000}z")).toMatch(/states together, and 500 are allowed/);
  expect(await outcome(".{0,200}z")).toMatch(/Would have sent/);
});

import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestConsole, type TestConsole } from "../console/start-test-console.ts";
import { EVERY_PART } from "../console/whole-console.ts";
import { aVisitor, type ConsoleVisitor, tokenIn } from "./console-visitor.ts";
import { worstAnswerWhile } from "./worst-answer.ts";

const LOGIN = { username: "ann", password: "correct horse" };
const NAME = "slack/alert-about.mrkdwn";
const LONGEST = 50_000;
/** What anybody waits for an answer of the process, whatever others type. */
const MOST_MS = 500;

let folder: string;
let web: TestConsole;
let visitor: ConsoleVisitor;
let token: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-typed-templates-"));
  web = await startTestConsole(Date.parse("2026-03-03T14:05:00Z"), {
    templates: folder,
    settings: { login: LOGIN, editTemplates: true, admins: [LOGIN.username] },
    deps: { previews: EVERY_PART.previews as NonNullable<typeof EVERY_PART.previews> },
  });
  visitor = aVisitor(web.url);
  await visitor.logIn(LOGIN.username, LOGIN.password);
  const page = await (await visitor.ask(`/templates/edit?name=${NAME}`)).text();
  token = tokenIn(page.split('<main id="main"')[1] ?? "");
});
afterAll(async () => {
  await web.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await rm(folder, { recursive: true });
  await mkdir(folder);
});

const filled = (part: string, after = "") =>
  part.repeat(Math.floor((LONGEST - after.length) / part.length)) + after;
const around = (open: string, close: string, times: number, inside = "x") =>
  open.repeat(times) + inside + close.repeat(times);

const SHAPES: Readonly<Record<string, string>> = {
  "repetitions inside repetitions": around("{{#each mentions}}{{#with @root}}", "{{/with}}{{/each}}", 12),
  "a long text in repetitions": around(
    "{{#each mentions}}{{#with @root}}",
    "{{/with}}{{/each}}",
    7,
    "x".repeat(40_000),
  ),
  "a partial that includes itself twice": `{{> ${NAME}}}{{> ${NAME}}}`,
  "blocks as deep as the text is long": around("{{#if query}}", "{{/if}}", 2_400, "{{nobody}}"),
  "open blocks": filled("{{#if query}}"),
  brackets: filled("{{"),
  parentheses: `{{query ${filled("(").slice(0, LONGEST - 100)}}}`,
  "helpers in helpers": `{{${filled("(if query ", "")}}}`.slice(0, LONGEST),
  "many names that there are not": filled("{{nobody}}"),
  comments: filled("{{!-- "),
  "raw blocks": filled("{{{{raw}}}}"),
  "path of many parts": `{{${filled("a.", "b").slice(0, LONGEST - 10)}}}`,
};

/** Each may take a template's whole processor time, and a new thread's start: one of them is enough for a test. */
const DOORS = [
  ["tried", "/templates/try", { "hx-request": "true" }, 200],
  ["saved", "/templates/save", {}, 409],
] as const;

test.each(
  Object.entries(SHAPES).flatMap(([shape, text]) => DOORS.map((door) => [shape, ...door, text] as const)),
)("a template of %s is %s: the process answers meanwhile", async (_, __, path, headers, answered, text) => {
  let status = 0;
  const worst = await worstAnswerWhile(async () => {
    const answer = await visitor.post(path, { token, name: NAME, opened: "", text }, headers);
    status = answer.status;
  }, `${web.url}/healthz`);
  expect(worst).toBeLessThan(MOST_MS);
  expect(status).toBe(answered);
  expect(await readdir(folder)).toEqual([]);
});

test.each([LONGEST + 1, 150_000, 1_000_000])("a template of %d letters is not tried", async (letters) => {
  const answer = await visitor.post("/templates/save", {
    token,
    name: NAME,
    opened: "",
    text: "x".repeat(letters),
  });
  expect([409, 413]).toContain(answer.status);
  expect(await readdir(folder)).toEqual([]);
});

test("no template reaches what is behind the values of its view", async () => {
  for (const path of [
    "constructor.constructor",
    "__proto__",
    "query.constructor",
    "mentions.constructor.name",
    "@root.constructor",
    "lookup this 'constructor'",
    "(lookup this 'constructor')",
    "mentions.0.__proto__.constructor",
    "query.__defineGetter__",
  ]) {
    const tried = await visitor.post(
      "/templates/try",
      { token, name: NAME, opened: "", text: `{{${path}}}` },
      { "hx-request": "true" },
    );
    const text = await tried.text();
    expect([path, text]).toEqual([path, expect.stringContaining("has faults")]);
    expect(text).not.toMatch(/native code|\[object Function\]/);
  }
});

import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loadConfig, parseConfig } from "../../src/admin/config/config.ts";
import { proposeFeeds } from "../../src/admin/setup/choose-feeds.ts";
import { draftSetup } from "../../src/admin/setup/draft-setup.ts";
import { askForBrand, askToReplace } from "../../src/cli/listen/ask-for-brand.ts";
import { askForSenses } from "../../src/cli/listen/ask-for-senses.ts";
import { kindOf } from "../../src/feeds/kinds/all-kinds.ts";
import { brandQuery } from "../../src/feeds/setup/brand-query.ts";
import { groupSenses } from "../../src/feeds/setup/group-senses.ts";
import { RuleTestFile } from "../../src/lab/rule-tests/test-file.ts";
import { UserError } from "../../src/lib/errors.ts";
import { InterruptedError } from "../../src/lib/stop-signal.ts";
import { compile } from "../../src/listening-api/query-language/compile.ts";
import { searchableMention } from "../../src/listening-api/query-language/search-text.ts";
import { parseRule } from "../../src/monitor/rules/parse-rule.ts";
import { rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { acmeTexts, CARTOONS, KETTLES } from "../feeds/setup/acme-texts.ts";
import { schemaFaults } from "../schema-faults.ts";
import { runCommand } from "./run-command.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-listen-"));
  file = join(folder, "earshot.yaml");
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const listen = (...words: string[]) =>
  runCommand(["listen", "--config", file, "--no-start", "--no-try", ...words], {});
const config = async () => parse(await readFile(file, "utf8"));

test("a brand gets a configuration, rules and tests that check and editors accept", async () => {
  const { exitCode, stdout, stderr } = await listen(
    ...["Acme", "acme corp", "--rival", "rivalware", "--language", "en,de", "--not", "jobs"],
    ...["--feed", "hacker-news", "--feed", "blog.example/feed", "--contact", "press@acme.example"],
  );
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(`Wrote ${file}, and 6 rules with tests in ${join(folder, "rules-acme")}.`);
  expect(stdout).toContain("start Earshot with: npm start");
  const text = await readFile(file, "utf8");
  expect(text).toMatch(/^# yaml-language-server: \$schema=earshot\.schema\.json\n/);
  expect(existsSync(join(folder, "earshot.schema.json"))).toBe(true);
  const content = parse(text);
  expect(schemaFaults("config", content)).toEqual([]);
  expect(content.listen).toEqual({
    contact: "press@acme.example",
    queries: [
      { name: "Acme", text: '(Acme OR "acme corp" OR acmecorp) NOT jobs', languages: ["en", "de"] },
      { name: "rivalware", text: "rivalware", languages: ["en", "de"] },
    ],
    feeds: [{ kind: "hacker-news" }, { kind: "rss", urls: ["https://blog.example/feed"] }],
  });
  const rules = join(folder, "rules-acme");
  const names = (await readdir(rules)).filter((name) => name.endsWith(".yaml"));
  expect(names).toHaveLength(6);
  for (const name of names) {
    expect(schemaFaults("rule", parse(await readFile(join(rules, name), "utf8")))).toEqual([]);
    const story = parse(await readFile(join(rules, "tests", name.replace(".yaml", ".test.yaml")), "utf8"));
    expect(RuleTestFile.safeParse(story).error).toBeUndefined();
  }
  const checked = await runCommand(["check", "--config", file], {});
  expect(checked).toMatchObject({ exitCode: 0, stderr: "" });
  expect(checked.stdout).toContain("2 receivers, 2 routes");
});

test("nothing that exists is replaced; --force keeps it", async () => {
  await writeFile(file, "mine\n");
  expect(await listen("acme")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("exists already"),
  });
  expect(await readFile(file, "utf8")).toBe("mine\n");
  expect(existsSync(join(folder, "rules-acme"))).toBe(false);
  expect((await listen("acme", "--force")).stdout).toContain(`Kept the old one as ${file}.old.`);
  expect(await readFile(`${file}.old`, "utf8")).toBe("mine\n");
  await listen("acme", "--force");
  expect((await readdir(folder)).filter((name) => name.includes(".old")).sort()).toEqual([
    "earshot.yaml.old",
    "earshot.yaml.old-2",
    "rules-acme.old",
  ]);
});

test("a dry run prints the files and writes nothing", async () => {
  const { stdout, exitCode } = await listen("acme", "--dry-run");
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`# ---- ${file}\n# yaml-language-server`);
  expect(stdout).toContain("rules-acme/tests/new-story.test.yaml");
  const { stdout: json } = await listen("acme", "--dry-run", "--json");
  expect(JSON.parse(json).files).toHaveLength(11);
  expect(await readdir(folder)).toEqual([]);
});

test("receivers: Slack, a webhook or mail, and one of them only", async () => {
  await listen("acme", "--slack-channel", "#press");
  expect((await config()).receivers).toEqual([
    { name: "comms", kind: "slack", channel: "#press", token: `\${SLACK_BOT_TOKEN}` },
  ]);
  const valid = (env: NodeJS.ProcessEnv = {}) => loadConfig(file, env);
  await expect(valid()).rejects.toThrow("a fault");
  await valid({ SLACK_BOT_TOKEN: "xoxb-1" });
  await listen("acme", "--webhook", "https://hook.example/1", "--force");
  expect((await config()).receivers).toEqual([
    { name: "comms", kind: "webhook", url: "https://hook.example/1" },
  ]);
  await valid();
  await listen("acme", "--webhook", "http://10.0.0.5/hook", "--force");
  await valid();
  await writeFile(file, (await readFile(file, "utf8")).replace(", allowPrivateAddress: true", ""));
  await expect(valid()).rejects.toMatchObject({
    details: [expect.stringContaining("leads into a private network, where nothing is sent")],
  });
  await listen("acme", "--mail", "press@acme.example", "--smtp", "mail.acme.example", "--force");
  expect((await config()).receivers[0]).toMatchObject({ kind: "email", smtp: { host: "mail.acme.example" } });
  await valid();
  for (const wrong of [
    ["--mail", "a@b.example"],
    ["--webhook", "https://x.example", "--slack-channel", "#a"],
  ])
    expect((await listen("acme", ...wrong)).exitCode).toBe(2);
});

test("what is wrong is named with what to do", async () => {
  const faults = async (...words: string[]) => (await listen(...words)).stderr;
  expect(await faults()).toContain("name the brand; questions are asked on a terminal only");
  expect(await faults("acme", "--feed", "hackernews")).toContain('did you mean "hacker-news"?');
  expect(await faults("acme", "--feed", "push")).toContain("push needs keys of its own");
  expect(await faults("acme", "***")).toContain('"***" cannot be searched');
  for (const wrong of [
    ["--language", "english"],
    ["--timezone", "Mars/North"],
    ["--contact", "a b"],
    ["--webhook", "hook.example"],
  ])
    expect([wrong, (await listen("acme", ...wrong)).exitCode]).toEqual([wrong, 2]);
  expect(await readdir(folder)).toEqual([]);
  expect(await faults("delta", "--dry-run")).toContain("delta is an everyday word");
  expect(await faults("acme", "--rival", "3m", "--dry-run")).toContain("3m is very short");
});

test("the feeds are tried, and a query that floods is named", async () => {
  const server = await startFeedServer();
  try {
    const item = (n: number) => ({ guid: `${n}`, title: `Acme ${n}`, link: `https://b.example/${n}` });
    const many = Array.from({ length: 25 }, (_, n) => ({ ...item(n), date: new Date().toUTCString() }));
    server.pages.set("/feed", { body: rssDocument(many) });
    const words = ["listen", "acme", "--config", file, "--no-start"];
    const feeds = ["--feed", `${server.url}/feed`, "--feed", `${server.url}/gone`];
    const { stdout, stderr } = await runCommand([...words, ...feeds], {});
    expect(stdout).toMatch(/\/feed: 25 items, 25 matched\n/);
    expect(stdout).toMatch(/\/gone: .*404/);
    expect(stderr).toContain("acme matches a large part of everything");
    expect((await config()).listen.feeds[0].allowPrivateAddress).toBe(true);
  } finally {
    await server.close();
  }
});

/** Thirty texts about a maker of kettles, and twenty about a cartoon. */
function twoSenses() {
  const texts = [
    ...acmeTexts(30, KETTLES, 1).map((title) => ({ title, sense: "kettle" })),
    ...acmeTexts(20, CARTOONS, 2).map((title) => ({ title, sense: "cartoon" })),
  ];
  const date = new Date().toUTCString();
  return texts.map(({ title, sense }, n) => ({
    ...{ guid: `${n}`, title, date },
    link: `https://b.example/${sense}/${n}`,
  }));
}

describe("the meanings that a name has in the feeds", () => {
  const withFeed = async (items: ReturnType<typeof twoSenses>, ...words: string[]) => {
    const server = await startFeedServer();
    server.pages.set("/feed", { body: rssDocument(items) });
    const all = ["listen", "acme", "--config", file, "--no-start", "--feed", `${server.url}/feed`, ...words];
    try {
      return await runCommand(all, {});
    } finally {
      await server.close();
    }
  };

  test("are left out where they are not meant", async () => {
    const { stdout, stderr, exitCode } = await withFeed(twoSenses(), "--sense", "kettle");
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/Left out: .*(coyote|cartoon)/)]);
    const [query] = (await config()).listen.queries;
    expect(query.text).toMatch(/^acme NOT \(.*(coyote|cartoon|anvil).*\)$/);
    expect(query.text).not.toMatch(/kettle|boiler|lid/);
    expect(query.about).toMatch(/^acme, as in texts about .*kettle.*; not about .*(coyote|cartoon)/);
    // The file is valid, and what the feed brings now matches as is meant.
    const [, matched] = /50 items, (\d+) matched/.exec(stdout) ?? [];
    expect(Number(matched)).toBeGreaterThanOrEqual(30);
    expect(Number(matched)).toBeLessThanOrEqual(34);
  });

  test("are listed where none has the word", async () => {
    const { stderr, exitCode } = await withFeed(twoSenses(), "--sense", "unicorn");
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/the word "unicorn".*kettle.*coyote/s)]);
    expect(existsSync(file)).toBe(false);
  });

  test("are not looked for in few texts, which one sentence says", async () => {
    const { stderr, exitCode } = await withFeed(twoSenses().slice(0, 5), "--sense", "kettle");
    expect(exitCode).toBe(0);
    expect(stderr).toContain("The feeds bring 5 texts with acme now: too few to tell");
    expect((await config()).listen.queries[0]).toEqual({ name: "acme", text: "acme" });
  });

  test("need a look at the feeds", async () => {
    const { stderr, exitCode } = await listen("acme", "--sense", "kettle");
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("leave out --no-try")]);
  });
});

test("the meanings are shown with headlines, and numbers say which are meant", async () => {
  const found = groupSenses(
    twoSenses().map(({ title }) => ({ title, text: "" })),
    ["acme"],
  );
  if (found.outcome !== "Several") throw new Error(found.outcome);
  const ask = (...answers: string[]) =>
    dialogue(answers, (input, output) => askForSenses("acme", found.senses, input, output));
  const { asked, shown } = await ask("3", "two", "2");
  expect(asked).toEqual([1]);
  expect(shown).toContain("acme has 2 meanings in what the feeds bring now:");
  expect(shown).toMatch(/ {2}1 {2}.*kettle.* \(30 texts\)\n( {7}Acme .*\n){3}/);
  expect((await ask("")).asked).toEqual([0, 1]);
});

async function dialogue<Answer>(
  answers: readonly string[],
  ask: (input: PassThrough, output: PassThrough) => Promise<Answer>,
) {
  const input = new PassThrough();
  const output = new PassThrough();
  const left = [...answers];
  let shown = "";
  output.on("data", (part: Buffer) => {
    shown += part;
    if (!shown.endsWith(": ") && !shown.endsWith("? ")) return;
    const answer = left.shift();
    shown += `${answer}\n`;
    if (answer === undefined) input.end();
    else input.write(`${answer}\n`);
  });
  const asked = await ask(input, output);
  expect(left).toEqual([]);
  return { asked, shown };
}

const OPEN = { brand: undefined, contact: undefined, to: undefined };
const NOTHING = { ...OPEN, about: "", spellings: [], not: [], rivals: [], languages: [], feeds: [] };

test("the dialogue takes defaults for empty answers, and asks again after a wrong one", async () => {
  const { asked, shown } = await dialogue(
    [
      "",
      "delta",
      "***",
      "delta air lines",
      "river",
      "",
      "english",
      "en",
      "99",
      "1, blog.example/feed",
      "",
      "2",
      "",
      "no",
      "xoxb-1",
    ],
    (input, output) => askForBrand(NOTHING, input, output),
  );
  expect(asked).toEqual({
    brand: "delta",
    spellings: ["delta air lines"],
    not: ["river"],
    about: "",
    rivals: [],
    languages: ["en"],
    feeds: [proposeFeeds({ queries: [], spellings: [], languages: [] })[0]?.kind, "blog.example/feed"],
    contact: "",
    to: {
      keys: { kind: "slack", channel: "#brand-alerts", token_file: ".earshot/slack-token" },
      secrets: [{ path: ".earshot/slack-token", text: "xoxb-1\n" }],
    },
  });
  expect(shown).toContain("Type its name, such as acme.");
  expect(shown).toContain("delta is an everyday word");
  expect(shown).toContain("It begins with xoxb-.");
});

test.each([
  ["https://hook.example/1", {}],
  ["http://10.0.0.5/hook", { allowPrivateAddress: true }],
])("the dialogue means a webhook inside one's own network: %s", async (url, more) => {
  const words = { spellings: ["a b c d"], rivals: ["r"], languages: ["en"], feeds: ["hacker-news"] };
  const { asked } = await dialogue(["3", "hook", "http://", url], (input, output) =>
    askForBrand({ ...NOTHING, ...words, brand: "acme", contact: "x@y.example" }, input, output),
  );
  expect(asked).toMatchObject({
    to: {
      keys: { kind: "webhook", url_file: ".earshot/webhook-url", ...more },
      secrets: [{ path: ".earshot/webhook-url", text: `${url}\n` }],
    },
  });
});

test("the dialogue asks only what flags left open, and can be left", async () => {
  const all = {
    spellings: ["a b c d"],
    not: [],
    about: "",
    rivals: ["r"],
    languages: ["en"],
    feeds: ["hacker-news"],
  };
  const to = { keys: null, secrets: [] };
  const { asked } = await dialogue([], (input, output) =>
    askForBrand({ ...all, brand: "acme", contact: "x@y.example", to }, input, output),
  );
  expect(asked).toEqual({ ...all, brand: "acme", contact: "x@y.example", to });
  await expect(dialogue([], (input, output) => askForBrand(NOTHING, input, output))).rejects.toThrow(
    InterruptedError,
  );
  const replace = (answer: string) =>
    dialogue([answer], (input, output) => askToReplace(["f"], input, output));
  expect([(await replace("")).asked, (await replace("yes")).asked]).toEqual([false, true]);
});

test("a secret that was typed is in a file of its own, which only this user may read", async () => {
  const { writeSetup } = await import("../../src/admin/setup/write-setup.ts");
  const draft = { files: [{ path: "earshot.yaml", text: "a\n" }], listen: "", queries: [], warnings: [] };
  const secrets = [{ path: ".earshot/slack-token", text: "xoxb-1\n" }];
  await writeSetup(file, draft, { replace: false, schemas: [], secrets });
  expect((await stat(join(folder, ".earshot/slack-token"))).mode & 0o777).toBe(0o600);
});

test.each([
  [["acme"], ["ACME!", "#acme", "ask @Acme"], ["acmecorp"]],
  [["acme corp"], ["Acme Corp.", "#AcmeCorp", "@acmecorp", "acme-corp"], ["acme", "corp"]],
  [
    ["@acme_help", "#acmefail"],
    ["@acme_help", "#acmefail"],
    ["acme_help", "acmefail"],
  ],
  [["AND", "the not"], ["you and me"], ["nothing"]],
  [["müller"], ["Muller", "MÜLLER"], ["miller"]],
  [["日本 航空"], ["日本 航空"], ["日本"]],
  [["애플"], ["애플이 좋다", "애플 좋다", "#애플", "@애플"], ["사과가 좋다"]],
  [["삼성 전자"], ["삼성 전자는 크다", "삼성전자가 크다"], ["삼성이 크다"]],
  [
    ["김", "@애플"],
    ["김 씨", "@애플"],
    ["김치", "애플이"],
  ],
])("the query of %j finds %j and not %j", (spellings, found, left) => {
  const { text } = brandQuery(spellings);
  const compiled = compile(text);
  if (!compiled.ok) throw new Error(text);
  const matches = (snippet: string) =>
    compiled.query.matches(
      searchableMention(
        { title: null, snippet, url: null, author: null, language: "en", pageType: "news" },
        snippet,
      ),
    );
  expect(found.filter((one) => !matches(one))).toEqual([]);
  expect(left.filter(matches)).toEqual([]);
});

test("whatever a brand is called, the files are valid or it is refused", async () => {
  const name = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
    fc.constantFrom(
      "yes",
      "null",
      "123",
      "- a",
      "a: b",
      "# a",
      "*a",
      "&a",
      "[a",
      "{a}",
      "'",
      '"',
      "a'b",
      `\${X}`,
      "OR",
      "a\nb",
      "x".repeat(90),
      "y".repeat(101),
    ),
  );
  const schemas = { config: "# a", rule: "# a", test: "# a" };
  await fc.assert(
    fc.asyncProperty(
      name,
      fc.array(name, { maxLength: 3 }),
      fc.array(name, { maxLength: 2 }),
      async (given, more, rivals) => {
        const brand = given.trim();
        fc.pre(brand !== "");
        const about = { queries: [brand], spellings: [brand], languages: [] };
        const feeds = proposeFeeds(about);
        const answers = {
          brand,
          spellings: [brand, ...more],
          not: more,
          rivals,
          languages: [],
          feeds,
          about: null,
          contact: null,
          timezone: "UTC",
          receiver: null,
        };
        try {
          const { files } = draftSetup(answers, schemas);
          const { listen } = await parseConfig(parse(files[0]?.text ?? ""));
          expect(listen?.queries[0]?.name).toBe(brand);
          for (const { path, text } of files.slice(1)) {
            if (path.includes("/tests/")) expect(RuleTestFile.safeParse(parse(text)).error).toBeUndefined();
            else expect(parseRule("r", path, text)).toHaveProperty("rule");
          }
        } catch (error) {
          if (!(error instanceof UserError) || !error.message.includes("cannot be")) throw error;
        }
      },
    ),
    { numRuns: 300 },
  );
});

test("every kind that is proposed is valid, and says what it is", () => {
  const proposed = proposeFeeds({ queries: ["Acme"], spellings: ["acme", "acme corp"], languages: ["en"] });
  expect(proposed.map(({ kind }) => kind)).toContain("hacker-news");
  for (const { kind, keys, about } of proposed) {
    expect(kindOf({ kind }).config.safeParse(keys).success).toBe(true);
    expect(about).toMatch(/\.$/);
  }
});

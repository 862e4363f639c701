import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { askForRule } from "../../src/cli/new-rule.ts";
import { SCHEMAS, schemaLine, schemaText } from "../../src/cli/schemas.ts";
import { InterruptedError } from "../../src/lib/stop-signal.ts";
import { parseRule } from "../../src/monitor/rules/parse-rule.ts";
import { DRAFT_KINDS, draftRule } from "../../src/monitor/rules/rule-drafts.ts";
import { schemaFaults } from "../schema-faults.ts";
import { runCommand } from "./run-command.ts";

let folder: string;
let rules: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-rules-"));
  rules = join(folder, "rules");
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const NO_CONFIG = { EARSHOT_CONFIG: "none.yaml" };
const newRule = (...words: string[]) => runCommand(["rules", "new", "--out", rules, ...words], NO_CONFIG);
const written = async (name: string) => readFile(join(rules, `${name}.yaml`), "utf8");

test.each(DRAFT_KINDS.map((kind) => [kind.kind, kind] as const))(
  "a new rule of kind %s is valid, explains itself and is taken by check and editors",
  async (kind, { name, title, severity, asksWords }) => {
    const words = asksWords === true ? ["--word", "refund*", "--word", "money back"] : [];
    const { exitCode, stdout, stderr } = await newRule("--kind", kind, ...words);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Wrote ${join(rules, `${name}.yaml`)}: "${title}", ${severity}, all queries.\n`);
    expect(stdout).toContain(`earshot check --rules ${rules}`);
    const text = await written(name);
    expect(schemaFaults("rule", parse(text))).toEqual([]);
    expect(text.split("\n").filter((line) => line.startsWith("#")).length).toBeGreaterThan(5);
    // The line in steps that it proposes is right, too.
    const proposed = text.replace(/^severity: .*\n# Or in steps: (severity: .*)$/m, "$1");
    const read = parseRule(name, `${name}.yaml`, proposed);
    expect("faults" in read ? read.faults : []).toEqual([]);
    expect(schemaFaults("rule", parse(proposed))).toEqual([]);
  },
);

test("flags are in the file, and the name comes from the title", async () => {
  const { stdout } = await newRule(
    ...["--kind", "volume", "--title", "Rückerstattung: jetzt!", "--query", "Acme*", "--query", "2000001"],
    ...["--severity", "critical", "--json"],
  );
  expect(JSON.parse(stdout)).toMatchObject({
    name: "ruckerstattung-jetzt",
    kind: "volume",
    severity: "critical",
  });
  expect(parse(await written("ruckerstattung-jetzt"))).toMatchObject({
    title: "Rückerstattung: jetzt!",
    queries: ["Acme*", "2000001"],
    severity: "critical",
  });
});

test("any title, query and word stands in the file as it was given", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
    fc.constantFrom(
      "yes",
      "null",
      "123",
      "1e3",
      "- a",
      "a: b",
      "# a",
      "*a",
      "&a",
      "[a",
      "'",
      '"',
      "a\nb",
      "~",
      "0x1f",
      "---",
      "a\u2028",
      "\u00a0a",
    ),
  );
  const said = text.filter((one) => /[\p{L}\p{N}]/u.test(one));
  const topic = DRAFT_KINDS.find(({ asksWords }) => asksWords === true);
  if (topic === undefined) throw new Error("no kind asks for words");
  fc.assert(
    fc.property(
      said,
      fc.array(said, { maxLength: 3 }),
      fc.array(said, { minLength: 1, maxLength: 3 }),
      (title, queries, words) => {
        const content: unknown = parse(
          draftRule(topic, { title, severity: "info", queries, words }, schemaLine("x")),
        );
        expect(content).toMatchObject({
          title,
          ...(queries.length > 0 && { queries }),
          when: { keyword: words },
        });
      },
    ),
  );
});

test("an existing rule is replaced with --force only", async () => {
  await newRule("mine", "--kind", "spike");
  const again = await newRule("mine", "--kind", "volume");
  expect([again.exitCode, again.stderr]).toEqual([
    2,
    expect.stringMatching(/mine\.yaml exists already\n.*--force/),
  ]);
  expect(parse(await written("mine"))).toHaveProperty("spike");
  expect((await newRule("mine", "--kind", "volume", "--force")).exitCode).toBe(0);
  expect(parse(await written("mine"))).toHaveProperty("volume");
});

test.each([
  [
    [],
    /name the kind of the rule with --kind; .*terminal only\n[\s\S]*--kind influencer: one angry influencer/,
  ],
  [["--kind", "topic"], /a rule about a topic needs words: --word/],
  [["Refund Storm", "--kind", "volume"], /lower case with hyphens, such as refund-storm, not "Refund Storm"/],
  [["../up", "--kind", "volume"], /such as up, not "\.\.\/up"/],
  [
    ["--kind", "volume", "--title", "x".repeat(81)],
    /nothing was written\n.*a title has 80 characters at most/,
  ],
])("%j writes nothing, and says what to do", async (words, message) => {
  const { exitCode, stderr } = await newRule(...words);
  expect(stderr).toMatch(message);
  expect(exitCode).toBe(2);
  expect(existsSync(rules)).toBe(false);
});

test("the schema line leads to a schema: one that is there, else one that is written beside the rules", async () => {
  const lineOf = async (name: string) => (await written(name)).split("\n")[0];
  await newRule("first", "--kind", "spike");
  expect(await lineOf("first")).toBe(schemaLine("rule.schema.json"));
  expect((await readdir(rules)).sort()).toEqual(["first.yaml", "rule.schema.json"]);
  await rm(join(rules, "rule.schema.json"));
  await runCommand(["schemas", "--out", folder], NO_CONFIG);
  await newRule("second", "--kind", "spike");
  expect(await lineOf("second")).toBe(schemaLine("../rule.schema.json"));
  await rm(join(folder, "rule.schema.json"));
  await mkdir(join(folder, "docs/schemas"), { recursive: true });
  await writeFile(join(folder, "docs/schemas/rule.schema.json"), "{}");
  await newRule("third", "--kind", "spike");
  expect(await lineOf("third")).toBe(schemaLine("../docs/schemas/rule.schema.json"));
  expect((await readdir(rules)).sort()).toEqual(["first.yaml", "second.yaml", "third.yaml"]);
});

test("the folder is that of the configuration, whose secrets are not needed", async () => {
  const config = join(folder, "earshot.yaml");
  await writeFile(config, "source:\n  password: ${NOBODY_SET_IT}\nrules: our-rules\n");
  const env = { EARSHOT_CONFIG: config };
  const { stdout } = await runCommand(["rules", "new", "--kind", "trend"], env);
  expect(stdout).toContain("\n  earshot check   ");
  const { stdout: list } = await runCommand(["rules"], env);
  expect(list.split("\n")[1]).toMatch(/^complaints-on-the-rise +Complaints are rising +trend +info +all$/);
  expect(existsSync(join(folder, "our-rules/complaints-on-the-rise.yaml"))).toBe(true);
});

test("the list names kind, severities and queries of each rule, and faults after the valid ones", async () => {
  await newRule("a", "--kind", "influencer", "--query", "Acme*", "--query", "Bolt");
  await newRule("b", "--kind", "new");
  const steps = (await written("a")).replace(
    /^severity: .*$/m,
    "severity: { info: always, critical: { mentions: 5 } }",
  );
  await writeFile(join(rules, "a.yaml"), steps);
  await writeFile(join(rules, "c.yaml"), "severity: info\n");
  const { stdout, stderr, exitCode } = await runCommand(["rules", "list", "--rules", rules], NO_CONFIG);
  expect(stdout.split("\n").slice(1)).toEqual([
    expect.stringMatching(/^a +A +mentions +info to critical +Acme\*, Bolt$/),
    expect.stringMatching(/^b +B +new +warning +all$/),
    "",
  ]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/1 fault in .*\n.*c\.yaml:1:1 "description" is missing/);
  await rm(join(rules, "c.yaml"));
  const json = await runCommand(["rules", "--rules", rules, "--json"], NO_CONFIG);
  expect(JSON.parse(json.stdout)).toEqual([
    expect.objectContaining({
      name: "a",
      kind: "mentions",
      severities: ["info", "critical"],
      queries: ["Acme*", "Bolt"],
    }),
    expect.objectContaining({ name: "b", kind: "new", severities: ["warning"], queries: null }),
  ]);
});

/** Answers each question in turn, as somebody on a terminal does; without an answer left, the terminal is closed. */
async function dialogue(
  answers: readonly string[],
  name?: string,
  flags: Partial<Parameters<typeof askForRule>[1]> = {},
) {
  const input = new PassThrough();
  const output = new PassThrough();
  const left = [...answers];
  let shown = "";
  output.on("data", (part: Buffer) => {
    shown += part;
    if (!shown.endsWith(": ")) return;
    const answer = left.shift();
    shown += `${answer}\n`;
    if (answer === undefined) input.end();
    else input.write(`${answer}\n`);
  });
  const asked = await askForRule(name, { query: [], word: [], ...flags }, input, output);
  expect(left).toEqual([]);
  return { asked, shown };
}

test("the dialogue takes defaults for empty answers, and asks again after a wrong one", async () => {
  const { asked, shown } = await dialogue([
    "9",
    "4",
    " , ",
    "refund*, money back",
    "",
    "Acme*, Bolt",
    "loud",
    "critical",
  ]);
  expect(asked).toEqual({
    kind: "topic",
    word: ["refund*", "money back"],
    title: "A topic that we watch",
    query: ["Acme*", "Bolt"],
    severity: "critical",
  });
  expect(shown).toContain("  4  a topic: somebody uses one of your words\n");
  expect(shown).toContain("Type a number from 1 to 8.");
  expect(shown).toContain("Type at least one word.");
  expect(shown).toContain("Type info, warning, critical.");
});

test("the dialogue asks nothing that a flag answered, and names the rule by its name", async () => {
  const { asked } = await dialogue(["", ""], "refund-storm", { query: ["Acme"], severity: "info" });
  expect(asked).toEqual({
    kind: "influencer",
    word: [],
    title: "Refund storm",
    query: ["Acme"],
    severity: "info",
  });
});

test("a terminal that closes ends the dialogue", async () => {
  await expect(dialogue(["2"])).rejects.toThrow(InterruptedError);
});

test("earshot schemas writes every schema, and says what the first line of a file is", async () => {
  const { stdout } = await runCommand(["schemas", "--out", folder], NO_CONFIG);
  for (const { file, schema } of SCHEMAS) {
    expect(stdout).toContain(join(folder, file));
    expect(await readFile(join(folder, file), "utf8")).toBe(schemaText(schema()));
  }
  const json = await runCommand(["schemas", "--json"], NO_CONFIG);
  expect(JSON.parse(json.stdout)).toEqual(
    Object.fromEntries(SCHEMAS.map(({ file, schema }) => [file, JSON.parse(schemaText(schema()))])),
  );
  await writeFile(join(folder, "a-file"), "");
  const { exitCode, stderr } = await runCommand(
    ["schemas", "--out", join(folder, "a-file/in-it")],
    NO_CONFIG,
  );
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("cannot be written")]);
});

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseConfig } from "../src/admin/config/config.ts";
import { SCHEMAS, schemaLine, schemaText } from "../src/cli/schemas.ts";
import { UserError } from "../src/lib/errors.ts";
import type { JsonSchema } from "../src/lib/json-schema.ts";
import { notifiers } from "../src/monitor/notify/notifiers.ts";
import { compileRule } from "../src/monitor/rules/compile-rule.ts";
import { mentionConditions, windowConditions } from "../src/monitor/rules/conditions.ts";
import { schemaFaults } from "./schema-faults.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "docs/schemas");

test("the committed schemas are current: npm run schemas writes them", () => {
  expect(readdirSync(FOLDER).sort()).toEqual(SCHEMAS.map(({ file }) => file).sort());
  for (const { file, schema } of SCHEMAS)
    expect(readFileSync(join(FOLDER, file), "utf8") === schemaText(schema()), file).toBe(true);
});

describe.each(SCHEMAS.map((one) => [one.file, one] as const))("%s", (_, { schema }) => {
  const keys = keysOf(schema(), "");

  test("explains every key in a sentence", () => {
    expect(keys.length).toBeGreaterThan(60);
    expect(keys.filter(({ description }) => description.length < 10).map(({ path }) => path)).toEqual([]);
    expect(keys.filter(({ description }) => description.length > 300).map(({ path }) => path)).toEqual([]);
  });

  test("says the default of a key in the form in which people write it", () => {
    const odd = keys.filter(
      ({ of }) => of.type === "string" && of["default"] !== undefined && typeof of["default"] !== "string",
    );
    expect(odd).toEqual([]);
    const unsaid = keys.filter(
      ({ of, description }) => of["default"] !== undefined && !description.includes("Default: "),
    );
    expect(unsaid.map(({ path }) => path)).toEqual([]);
  });
});

test("every condition and every notifier is in its schema", () => {
  const rule = SCHEMAS.find(({ file }) => file === "rule.schema.json")?.schema();
  expect(Object.keys(rule?.properties ?? {})).toEqual(
    expect.arrayContaining(windowConditions.map(({ type }) => type)),
  );
  expect(Object.keys(rule?.definitions?.["conditions"]?.properties ?? {})).toEqual([
    ...mentionConditions.map(({ type }) => type),
    ...["all", "any", "not"],
  ]);
  const config = SCHEMAS.find(({ file }) => file === "earshot.schema.json")?.schema();
  const receivers = config?.properties?.["receivers"]?.["items"] as JsonSchema;
  expect(receivers.anyOf?.map(({ properties }) => properties?.["kind"]?.const)).toEqual(
    notifiers.map(({ kind }) => kind),
  );
});

test("the example, the shipped rules and the rules of the tests are valid", () => {
  expect(schemaFaults("config", parse(readFileSync(join(ROOT, "earshot.example.yaml"), "utf8")))).toEqual([]);
  for (const folder of ["rules", "test/fixtures/replay-rules"]) {
    const files = readdirSync(join(ROOT, folder)).filter((file) => file.endsWith(".yaml"));
    expect(files.length).toBeGreaterThan(2);
    for (const file of files)
      expect(schemaFaults("rule", parse(readFileSync(join(ROOT, folder, file), "utf8"))), file).toEqual([]);
  }
});

test("the example and every shipped rule name their schema, at a place where it is", () => {
  const rules = readdirSync(join(ROOT, "rules")).filter((file) => file.endsWith(".yaml"));
  for (const file of ["earshot.example.yaml", ...rules.map((name) => `rules/${name}`)]) {
    const [first = ""] = readFileSync(join(ROOT, file), "utf8").split("\n");
    const path = first.replace(schemaLine(""), "");
    const name = file.startsWith("rules/") ? "rule.schema.json" : "earshot.schema.json";
    expect(join(ROOT, dirname(file), path), file).toBe(join(FOLDER, name));
  }
});

test("the rules with faults of the tests are refused", () => {
  const folder = join(ROOT, "test/fixtures/rules");
  const files = readdirSync(folder).filter((file) => file !== "broken-yaml.yaml");
  expect(files.length).toBeGreaterThan(10);
  const taken = files.filter(
    (file) => schemaFaults("rule", parse(readFileSync(join(folder, file), "utf8"))).length === 0,
  );
  expect(taken).toEqual([]);
});

const RULE = "description: d\nseverity: info\n";
const MENTIONS = `${RULE}when: { sentiment: negative }\n`;

/** Refused in an editor, and by `earshot check`. */
const WRONG_RULES: readonly string[] = [
  "severity: info\nwhen: { sentiment: negative }",
  "description: d\nwhen: { sentiment: negative }",
  "description: ''\nseverity: info\nwhen: { tag: a }",
  "description: d\nseverity: high\nwhen: { tag: a }",
  RULE,
  `${RULE}when: {}`,
  `${RULE}when: [{ tag: a }]`,
  `${RULE}when: { sentimnt: negative }`,
  `${RULE}when: { sentiment: angry }`,
  `${RULE}when: { sentiment: [] }`,
  `${RULE}when: { all: [] }`,
  `${RULE}when: { any: { tag: a } }`,
  `${RULE}when: { not: { all: [{ any: [{ tga: a }] }] } }`,
  `${RULE}when: { followers: 1000 }`,
  `${RULE}when: { followers: {} }`,
  `${RULE}when: { followers: { least: 3 } }`,
  `${RULE}when: { verified: "yes" }`,
  `${RULE}when: { language: english }`,
  `${RULE}when: { keyword: "..." }`,
  `${RULE}when: { spike: { atLeast: 3 } }`,
  `${MENTIONS}groupBy: auther`,
  `${MENTIONS}for: 10m`,
  `${MENTIONS}over: 6h`,
  `${MENTIONS}over: { after: 6 }`,
  `${MENTIONS}over: { after: six hours }`,
  `${MENTIONS}catchUp: newest`,
  `${MENTIONS}labels: { story: a }`,
  `${MENTIONS}labels: [a]`,
  `${MENTIONS}quereis: Acme`,
  `${MENTIONS}queries: []`,
  `${MENTIONS}title: ${"x".repeat(81)}`,
  `${RULE}volume: { atLeast: 3 }`,
  `${RULE}volume: { atLeast: 0, within: 1h }`,
  `${RULE}volume: { atLeast: 2.5, within: 1h }`,
  `${RULE}volume: { atLeast: 3, within: 1h }\nspike: { atLeast: 3 }`,
  `${RULE}volume: { atLeast: 3, within: 1h }\ngroupBy: author`,
  `${RULE}volume: { atLeast: 3, within: 1h, count: people }`,
  `${RULE}spike: { atLeast: 3, windows: [5] }`,
  `${RULE}spike: { atLeast: 3, sensitivity: strict, oneFalseAlarmIn: 30d }`,
  `${RULE}spike: { atLeast: 3, oneFalseAlarmIn: 30d, falseAlarmsPerDay: 0.1 }`,
  `${RULE}share: { atLeast: 40%, among: 3, within: 1h }`,
  `${RULE}share: { of: { tag: a }, among: 3, within: 1h }`,
  `${RULE}share: { of: { tag: a }, atLeast: 0.4, among: 3, within: 1h }`,
  `${RULE}share: { of: { tag: a }, atLeast: 130%, among: 3, within: 1h }`,
  `${RULE}share: { of: { tga: a }, atLeast: 40%, among: 3, within: 1h }`,
  `${RULE}absence: { atMost: 10 }`,
  `${RULE}trend: { rising: 30%, falling: 30% }`,
  `${RULE}trend: { over: 3d }`,
  `${RULE}new: { what: word, atLeast: 3 }`,
  "description: d\nseverity: { warning: always, critical: { within: 30m } }\nvolume: { atLeast: 3, within: 1h }",
  "description: d\nseverity: { critical: { atLeast: 30 } }\nvolume: { atLeast: 3, within: 1h }",
  "description: d\nseverity: { info: always, warning: always }\nvolume: { atLeast: 3, within: 1h }",
  "description: d\nseverity: { info: { atLeast: 9 }, warning: always }\nvolume: { atLeast: 3, within: 1h }",
  "description: d\nseverity: { info: always, critical: { atLeast: 30 } }\ntrend: { rising: 30% }",
  "description: d\nseverity: { info: always, critical: { atLeast: 30 } }\nwhen: { tag: a }",
  "description: d\nseverity: { info: always, critical: [] }\nvolume: { atLeast: 3, within: 1h }",
];

/** What JSON Schema cannot say: only `earshot check` refuses it. */
const WRONG_FOR_CHECK_ONLY: readonly (readonly [string, string])[] = [
  ["the bounds of a duration", `${RULE}volume: { atLeast: 3, within: 7m }`],
  ["the bounds of a percentage", `${RULE}trend: { rising: 3% }`],
  ["which zones there are", `${RULE}spike: { atLeast: 3, timezone: Mars/Base }`],
  ["whether a pattern is one", `${RULE}when: { pattern: "(" }`],
  ["two numbers compared", `${RULE}when: { reach: { atLeast: 5, atMost: 4 } }`],
  ["which kinds of pages a source has", `${RULE}when: { pageType: twiter }`],
  ["the name of the file", `${MENTIONS}name: other`],
  [
    "steps that fall, or are reached from the start",
    "description: d\nseverity: { info: always, critical: { atLeast: 2 } }\nvolume: { atLeast: 3, within: 1h }",
  ],
];

test.each(WRONG_RULES)("a wrong rule is refused in the editor and by check: %j", (text) => {
  expect(faultsOfRule(parse(text))).not.toEqual([]);
  expect(schemaFaults("rule", parse(text))).not.toEqual([]);
});

test.each(WRONG_FOR_CHECK_ONLY)("only check knows %s", (_, text) => {
  expect(faultsOfRule(parse(text))).not.toEqual([]);
  expect(schemaFaults("rule", parse(text))).toEqual([]);
});

const SOURCE = { baseUrl: "https://l.example", username: "a", password: "b", clientId: "c" };
const HOOK = { name: "hook", kind: "webhook", url: "https://hook.example" };
const VALID = { source: SOURCE, receivers: [HOOK], routes: [{ receivers: ["hook"] }] };
const MAIL = { name: "mail", kind: "email", to: "a@b.example", from: "c@b.example", smtp: { host: "m" } };
const SLACK = { name: "chat", kind: "slack", channel: "#a", token: "xoxb-1" };
const { password: _, ...WITHOUT_PASSWORD } = SOURCE;

const TAKEN: Readonly<Record<string, object>> = {
  "the least": VALID,
  "no throttle": { ...VALID, receivers: [{ ...HOOK, throttle: "none" }] },
  "a receiver of each kind": { ...VALID, receivers: [HOOK, MAIL, SLACK] },
  "routes in routes": {
    ...VALID,
    routes: [{ receivers: ["hook"], routes: [{ match: { rule: "a*" }, repeatEvery: "never" }] }],
  },
};

test.each(Object.entries(TAKEN))(
  "a configuration is taken in the editor and by check: %s",
  async (_, content) => {
    expect(await faultsOfConfig(content)).toEqual([]);
    expect(schemaFaults("config", content)).toEqual([]);
  },
);

test("a text may come from a variable or a file, which an editor does not know", () => {
  const from = (source: object, receiver: object) => ({
    ...VALID,
    source,
    receivers: [{ ...HOOK, ...receiver }],
  });
  expect(schemaFaults("config", from({ ...WITHOUT_PASSWORD, password_file: "p" }, {}))).toEqual([]);
  expect(schemaFaults("config", from({ ...SOURCE, pollEvery: `\${POLL}`, lookback_file: "l" }, {}))).toEqual(
    [],
  );
  expect(schemaFaults("config", from(SOURCE, { url: `\${URL}` }))).toEqual([]);
  expect(schemaFaults("config", from(WITHOUT_PASSWORD, {}))).not.toEqual([]);
  expect(schemaFaults("config", from({ ...SOURCE, pagesize_file: "l" }, {}))).not.toEqual([]);
  expect(schemaFaults("config", from({ ...SOURCE, pollEvery: "$POLL" }, {}))).not.toEqual([]);
});

const WRONG_CONFIGS: Readonly<Record<string, object>> = {
  "no receivers": { source: SOURCE, routes: VALID.routes },
  "an empty list": { ...VALID, routes: [] },
  "an unknown section": { ...VALID, rooutes: [] },
  "an unknown kind": { ...VALID, receivers: [{ name: "x", kind: "carrier" }] },
  "no kind": { ...VALID, receivers: [{ name: "x", url: "https://h.example" }] },
  "a key of another kind": { ...VALID, receivers: [{ ...HOOK, channel: "#a" }] },
  "an unknown key in a receiver": { ...VALID, receivers: [{ ...MAIL, smtp: { host: "m", prot: 25 } }] },
  "no channel": { ...VALID, receivers: [{ name: "s", kind: "slack", token: "xoxb-1" }] },
  "another token": { ...VALID, receivers: [{ ...SLACK, token: "xapp-1" }] },
  "a number as text": { ...VALID, web: { port: "8080" } },
  "a port too large": { ...VALID, web: { port: 80_800 } },
  "no address": { ...VALID, source: { ...SOURCE, baseUrl: "l.example" } },
  "an interval without a unit": { ...VALID, source: { ...SOURCE, pollEvery: 30 } },
  "an interval in words": { ...VALID, source: { ...SOURCE, pollEvery: "half a minute" } },
  "a severity that is none": { ...VALID, routes: [{ receivers: ["hook"], match: { severity: "high" } }] },
  "an unknown matcher": { ...VALID, routes: [{ receivers: ["hook"], match: { rules: ["a"] } }] },
  "an unknown key in an inner route": {
    ...VALID,
    routes: [{ receivers: ["hook"], routes: [{ contniue: true }] }],
  },
  "an escalation without steps": { ...VALID, escalations: [{ name: "e", steps: [] }] },
  "too many rounds": {
    ...VALID,
    escalations: [{ name: "e", rounds: 11, steps: [{ after: "1m", receivers: ["hook"] }] }],
  },
  "an unquoted time": { ...VALID, digests: [{ name: "d", at: 8, timezone: "UTC", receivers: ["hook"] }] },
  "a time that is none": {
    ...VALID,
    digests: [{ name: "d", at: "25:00", timezone: "UTC", receivers: ["hook"] }],
  },
  "an offset for a zone": { ...VALID, timezone: "+02:00" },
  "quiet hours without their end": {
    ...VALID,
    receivers: [{ ...HOOK, quietHours: [{ timezone: "UTC", from: "22:00" }] }],
  },
  "a throttle that is none": { ...VALID, receivers: [{ ...HOOK, throttle: "off" }] },
  "a login without a name": { ...VALID, web: { login: { password: "long enough" } } },
  "a heartbeat without an address": { ...VALID, heartbeat: { every: "1m" } },
};

test.each(Object.entries(WRONG_CONFIGS))(
  "a wrong configuration is refused in the editor and by check: %s",
  async (_, content) => {
    expect(await faultsOfConfig(content)).not.toEqual([]);
    expect(schemaFaults("config", content)).not.toEqual([]);
  },
);

function faultsOfRule(content: unknown): readonly string[] {
  const faults: string[] = [];
  compileRule("example", content, ({ message }) => faults.push(message));
  return faults;
}

async function faultsOfConfig(content: unknown): Promise<readonly string[]> {
  try {
    await parseConfig(content);
    return [];
  } catch (error) {
    if (error instanceof UserError) return error.details;
    throw error;
  }
}

interface Key {
  readonly path: string;
  readonly description: string;
  readonly of: JsonSchema;
}

/** Every key that an editor can offer. */
function keysOf(node: unknown, path: string): readonly Key[] {
  if (Array.isArray(node)) return node.flatMap((one) => keysOf(one, path));
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    // They repeat keys that are explained elsewhere, to forbid or narrow them.
    if (["if", "then", "dependencies"].includes(key) || (key === "anyOf" && path.endsWith("/severity")))
      return [];
    if (key !== "properties" || typeof value !== "object") return keysOf(value, path);
    return Object.entries(value as Record<string, JsonSchema>).flatMap(([name, of]) => [
      { path: `${path}/${name}`, description: of.description ?? "", of },
      ...keysOf(of, `${path}/${name}`),
    ]);
  });
}

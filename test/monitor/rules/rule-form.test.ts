import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { RuleForm } from "../../../src/monitor/model/rule-form.ts";
import { compileRule } from "../../../src/monitor/rules/compile-rule.ts";
import { loadRules } from "../../../src/monitor/rules/load-rules.ts";
import { parseRule } from "../../../src/monitor/rules/parse-rule.ts";
import { ruleCompletions } from "../../../src/monitor/rules/rule-completions.ts";
import { contentOfForm, formOfContent, yamlOfForm } from "../../../src/monitor/rules/rule-form.ts";

const FORM = RuleForm.parse({
  ...{
    title: "Refunds",
    description: "People want money.",
    sentiment: "negative",
    keyword: 'refund*, "money, back"',
  },
  ...{ counts: "volume", atLeast: "50", within: "30m", unit: "authors", severity: "warning" },
  ...{ criticalFrom: "200", criticalWithin: "1h", for: "10m", over: "6h" },
});

test("a form becomes a rule that the loader takes", () => {
  const text = yamlOfForm(FORM, null);
  expect(parse(text)).toEqual({
    title: "Refunds",
    description: "People want money.",
    severity: { warning: "always", critical: { atLeast: 200, within: "1h" } },
    when: { sentiment: "negative", keyword: ["refund*", "money, back"] },
    volume: { atLeast: 50, within: "30m", count: "authors" },
    for: "10m",
    over: { after: "6h" },
  });
  expect(parseRule("refunds", "refunds.yaml", text)).not.toHaveProperty("faults");
});

test.each([
  [{ counts: "mentions", keyword: "recall", groupBy: "story", severity: "info", warningFrom: "20" }],
  [
    {
      counts: "spike",
      atLeast: "20",
      sentiment: ["negative", "neutral"],
      unit: "stories",
      criticalFrom: "90",
    },
  ],
  [
    {
      counts: "share",
      of: "negative",
      atLeast: "40%",
      aboveUsual: "15%",
      among: "30",
      within: "1h",
      criticalFrom: "70%",
    },
  ],
  [
    {
      counts: "volume",
      atLeast: "9",
      within: "5m",
      verified: "no",
      followers: "500",
      language: "en",
      country: "DEU",
      pageType: "news",
      tag: "a",
      category: "b",
      author: "@c",
      queries: "Acme*, 77",
    },
  ],
])("every kind of a form is a valid rule, and is shown as the same form again: %j", (fields) => {
  const form = RuleForm.parse({ description: "x", ...fields });
  const faults: unknown[] = [];
  compileRule("a", contentOfForm(form), (issue) => faults.push(issue));
  expect(faults).toEqual([]);
  expect(formOfContent(parse(yamlOfForm(form, null)))).toEqual(form);
});

test("whatever is typed into the fields, the rule says the same when it is opened again, or it is not shown as a form", () => {
  const words = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(
      fc.record({
        title: words,
        description: words,
        keyword: words,
        author: words,
        atLeast: words,
        within: words,
        over: words,
        groupBy: words,
        followers: words,
        criticalFrom: words,
        counts: fc.constantFrom("mentions", "volume", "spike", "share"),
      }),
      (fields) => {
        const form = RuleForm.parse(fields);
        const content: unknown = parse(yamlOfForm(form, null));
        const again = formOfContent(content);
        fc.pre(again !== null);
        expect(parse(yamlOfForm(again, null))).toEqual(content);
      },
    ),
    { numRuns: 300 },
  );
});

test("a rule with parts that the form does not have is not shown as a form", async () => {
  const shown = async (text: string) => formOfContent(parse(text)) !== null;
  expect(await shown("description: x\nseverity: info\nwhen: { any: [{ sentiment: negative }] }")).toBe(false);
  expect(await shown("description: x\nseverity: info\nspike: { atLeast: 5, authors: 3 }")).toBe(false);
  expect(await shown("description: x\nseverity: info\nwhen: { followers: { atLeast: 5, atMost: 9 } }")).toBe(
    false,
  );
  expect(await shown("description: x\nseverity: info\nwhen: { tag: a }\nlabels: { team: a }")).toBe(false);
  expect(await shown("- 1")).toBe(false);
});

test("what the form does not change keeps its comments", () => {
  const base = "# head\ndescription: x # why\nseverity: info\nwhen:\n  # mood\n  sentiment: negative\n";
  const form = formOfContent(parse(base));
  expect(form).not.toBeNull();
  expect(yamlOfForm({ ...(form ?? FORM), severity: "critical" }, base)).toBe(
    base.replace("info", "critical"),
  );
  expect(yamlOfForm({ ...(form ?? FORM), title: "T" }, base)).toContain("# mood");
  expect(() => yamlOfForm(FORM, "a: [")).not.toThrow();
});

test("completions know every key of the shipped rules", async () => {
  const places = ruleCompletions();
  const unknown: string[] = [];
  const visit = (value: unknown, place: string | null, path: string): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, place, path);
    else if (typeof value === "object" && value !== null && place !== null)
      for (const [key, one] of Object.entries(value)) {
        const known = places[place]?.find((each) => each.key === key);
        if (known === undefined) unknown.push(`${path}.${key}`);
        else visit(one, known.into, `${path}.${key}`);
      }
  };
  const { readFile } = await import("node:fs/promises");
  for (const { name } of (await loadRules("rules")).rules)
    visit(parse(await readFile(`rules/${name}.yaml`, "utf8")), "rule", name);
  expect(unknown).toEqual([]);
  expect(places["conditions"]?.find(({ key }) => key === "sentiment")?.values).toEqual([
    "positive",
    "neutral",
    "negative",
  ]);
});

const ALIASES = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, i) => {
  const [one, other] = [98 + i, 97 + i].map((code) => String.fromCharCode(code));
  return `${one}: &${one} [${Array(10).fill(`*${other}`).join(",")}]`;
}).join("\n")}`;

test.each([
  ["brackets that nest without end", "[".repeat(60_000)],
  ["braces", "{a: ".repeat(9_000)],
  ["dashes", "- ".repeat(30_000)],
  ["aliases that multiply", ALIASES],
  ["an alias of itself", "description: x\nseverity: info\nwhen: &a\n  all: [*a]\n"],
  ["a name of the language", "__proto__: { a: 1 }\ndescription: x"],
])("a text that attacks its reader is refused, and changed as a form it is written anew: %s", (_, text) => {
  expect(parseRule("a", "a.yaml", text)).toHaveProperty("faults");
  expect(parse(yamlOfForm(FORM, text))).toMatchObject({ title: "Refunds" });
});

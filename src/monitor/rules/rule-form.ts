import { type Document, parseDocument, stringify } from "yaml";
import { canonicalJson, isRecord, type JsonValue } from "../../lib/json.ts";
import { readYaml } from "../../lib/read-yaml.ts";
import { RuleForm } from "../model/rule-form.ts";

/** Fields with commas between words → keys of `when`. */
const WORDS = ["keyword", "author", "category", "tag", "language", "country", "pageType"] as const;

type Content = Record<string, unknown>;

/** The content of a rule file from a form; a value that is no number is passed on, for the check to report. */
export function contentOfForm(form: RuleForm): Content {
  const when = whenOf(form);
  const counting = countingOf(form);
  return {
    ...(form.title !== "" && { title: form.title }),
    description: form.description,
    ...listUnder("queries", form.queries),
    severity: severityOf(form),
    ...(Object.keys(when).length > 0 && { when }),
    ...counting,
    ...(form.counts === "mentions" && listUnder("groupBy", form.groupBy)),
    ...(form.for !== "" && { for: form.for }),
    ...(form.over !== "" && { over: { after: form.over } }),
  };
}

function whenOf(form: RuleForm): Content {
  return {
    ...(form.sentiment.length > 0 && { sentiment: oneOrList(form.sentiment) }),
    ...Object.assign({}, ...WORDS.map((key) => listUnder(key, form[key]))),
    ...(form.followers !== "" && { followers: { atLeast: numberOf(form.followers) } }),
    ...(form.verified !== "" && { verified: form.verified === "yes" }),
  };
}

function countingOf(form: RuleForm): Content {
  const unit = form.unit === "mentions" ? {} : { count: form.unit };
  if (form.counts === "volume")
    return { volume: { atLeast: numberOf(form.atLeast), within: form.within, ...unit } };
  if (form.counts === "spike") return { spike: { atLeast: numberOf(form.atLeast), ...unit } };
  if (form.counts === "share")
    return {
      share: {
        of: { sentiment: oneOrList(form.of) },
        atLeast: form.atLeast,
        ...(form.aboveUsual !== "" && { aboveUsual: form.aboveUsual }),
        among: numberOf(form.among),
        within: form.within,
      },
    };
  return {};
}

function severityOf(form: RuleForm): unknown {
  const step = (from: string, within: string) => {
    if (form.counts === "share") return { atLeast: from };
    if (form.counts === "mentions") return { mentions: numberOf(from) };
    return { atLeast: numberOf(from), ...(within !== "" && { within }) };
  };
  if (form.warningFrom === "" && form.criticalFrom === "") return form.severity;
  return {
    [form.severity]: "always",
    ...(form.warningFrom !== "" && { warning: step(form.warningFrom, "") }),
    ...(form.criticalFrom !== "" && { critical: step(form.criticalFrom, form.criticalWithin) }),
  };
}

/**
 * The form of a rule's content; null if the rule has something that the form cannot show, because saving the form would
 * lose it.
 */
export function formOfContent(content: unknown): RuleForm | null {
  if (!isRecord(content) || hasCircle(content)) return null;
  const when = isRecord(content["when"]) ? content["when"] : {};
  const counts = (["volume", "spike", "share"] as const).find((key) => content[key] !== undefined);
  const counted = counts !== undefined && isRecord(content[counts]) ? content[counts] : {};
  const { severity, over } = content;
  const steps = isRecord(severity) ? severity : { [String(severity)]: "always" };
  const from = (name: string): string => {
    const step = steps[name];
    if (!isRecord(step)) return "";
    return textOf(counts === undefined ? step["mentions"] : step["atLeast"]);
  };
  const form = RuleForm.parse({
    title: textOf(content["title"]),
    description: textOf(content["description"]),
    queries: wordsOf(content["queries"]),
    sentiment: listOf(when["sentiment"]),
    ...Object.fromEntries(WORDS.map((key) => [key, wordsOf(when[key])])),
    followers: isRecord(when["followers"]) ? textOf(when["followers"]["atLeast"]) : "",
    verified: when["verified"] === undefined ? "" : when["verified"] === true ? "yes" : "no",
    counts: counts ?? "mentions",
    atLeast: textOf(counted["atLeast"]),
    within: textOf(counted["within"]),
    unit: textOf(counted["count"]) || "mentions",
    of: isRecord(counted["of"]) ? listOf(counted["of"]["sentiment"]) : [],
    among: textOf(counted["among"]),
    aboveUsual: textOf(counted["aboveUsual"]),
    severity: Object.entries(steps).find(([, step]) => step === "always")?.[0] ?? "warning",
    warningFrom: from("warning"),
    criticalFrom: from("critical"),
    criticalWithin: isRecord(steps["critical"]) ? textOf(steps["critical"]["within"]) : "",
    groupBy: wordsOf(content["groupBy"]),
    for: textOf(content["for"]),
    over: isRecord(over) ? textOf(over["after"]) : "",
  });
  return isSame(contentOfForm(form), content) ? form : null;
}

/** The form of a rule's text; null if the form cannot show all of it, or the text has faults. */
export function formOfText(text: string): RuleForm | null {
  const { content, faults } = readYaml("rule.yaml", text);
  return faults.length > 0 ? null : formOfContent(content);
}

/**
 * The YAML of a form. Parts of `base`, the file before, that the form did not change stay as they are written there, with
 * their comments.
 */
export function yamlOfForm(form: RuleForm, base: string | null): string {
  const content = contentOfForm(form);
  const read = base === null ? null : readYaml("rule.yaml", base);
  if (
    base === null ||
    read === null ||
    read.faults.length > 0 ||
    !isRecord(read.content) ||
    hasCircle(read.content)
  )
    return stringify(content, { lineWidth: 0 });
  // Its keys differ: `readYaml` has checked that.
  const document = parseDocument(base, { uniqueKeys: false });
  const before = read.content;
  for (const key of Object.keys(before)) if (content[key] === undefined) document.delete(key);
  for (const [key, value] of Object.entries(content))
    if (!isSame({ [key]: before[key] }, { [key]: value })) setKey(document, key, value);
  return document.toString({ lineWidth: 0 });
}

function setKey(document: Document, key: string, value: unknown): void {
  document.set(key, document.createNode(value));
}

/** An alias in YAML may name what it stands in. */
function hasCircle(content: unknown): boolean {
  try {
    JSON.stringify(content);
    return false;
  } catch {
    return true;
  }
}

/** Words that a rule may write alone or as a list. */
const LISTS: ReadonlySet<string> = new Set([...WORDS, "sentiment", "queries", "groupBy"]);

/** Whether two contents say the same: a word alone is a list of it, and a number its text. */
function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(plain(one, "")) === canonicalJson(plain(other, ""));
}

function plain(value: unknown, key: string): JsonValue {
  if (LISTS.has(key)) return listOf(value);
  if (Array.isArray(value)) return value.map((one) => plain(one, ""));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one, name)]));
  return value === undefined || value === null ? null : String(value);
}

/** `a, b` → both words, in quotes if a word has a comma: `"a, b"`. */
function wordsIn(text: string): readonly string[] {
  const words = [...text.matchAll(/\s*"([^"]*)"\s*|[^,\n]+/g)].map(
    ([whole, quoted]) => quoted ?? whole.trim(),
  );
  return words.filter((word) => word !== "");
}

function wordsOf(value: unknown): string {
  return listOf(value)
    .map((word) => (/[,\n]/.test(word) ? `"${word}"` : word))
    .join(", ");
}

function listUnder(key: string, text: string): Content {
  const words = wordsIn(text);
  return words.length === 0 ? {} : { [key]: oneOrList(words) };
}

function oneOrList(words: readonly string[]): string | string[] {
  const [first = ""] = words;
  return words.length === 1 ? first : [...words];
}

function listOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

function numberOf(text: string): number | string {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

import { isSchema, type JsonSchema } from "../../lib/json-schema.ts";
import { ruleJsonSchema } from "./rule-schema.ts";

/** A key that may stand at a place of a rule file. */
interface CompletedKey {
  readonly key: string;
  /** What editors show of it. */
  readonly about: string;
  /** What it may be, if that is a choice. */
  readonly values: readonly string[];
  /** The place of the keys below it; null if there are none. */
  readonly into: string | null;
}

/** Places of a rule file (`rule` is its top) → the keys that may stand there. */
type RuleCompletions = Readonly<Record<string, readonly CompletedKey[]>>;

/** What an editor may offer, from the JSON Schema of rules. */
export function ruleCompletions(): RuleCompletions {
  const schema = ruleJsonSchema();
  const places = new Map<string, readonly CompletedKey[]>();
  const visit = (place: string, { properties = {} }: JsonSchema): void => {
    if (places.has(place)) return;
    places.set(place, []);
    places.set(
      place,
      Object.entries(properties).map(([key, one]) => {
        const into = placeOf(key, one);
        if (into !== null) visit(into, isTree(one) ? (schema.definitions?.["conditions"] ?? {}) : one);
        return { key, about: one.description ?? "", values: valuesOf(one), into };
      }),
    );
  };
  visit("rule", schema);
  // Severity steps stand in branches of the schema; they are offered as the words that begin one.
  const always = ["info", "warning", "critical"].map((key) => ({
    key,
    about: "always (from the start), or what has to be reached.",
    values: ["always"],
    into: null,
  }));
  places.set("severity", always);
  return Object.fromEntries(
    [...places].map(([place, keys]) => [
      place,
      place === "rule"
        ? keys.map((one) =>
            one.key === "severity" ? { ...one, values: always.map(({ key }) => key), into: "severity" } : one,
          )
        : keys,
    ]),
  );
}

function placeOf(key: string, schema: JsonSchema): string | null {
  if (isTree(schema)) return "conditions";
  return schema.properties === undefined ? null : key;
}

/** A tree of conditions, or a list of such trees. */
function isTree(schema: JsonSchema): boolean {
  const items = schema["items"];
  const refers = (one: unknown) =>
    typeof one === "object" && one !== null && "$ref" in one && one.$ref === "#/definitions/conditions";
  return refers(schema) || refers(items);
}

function valuesOf(schema: JsonSchema): readonly string[] {
  const own = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const others = [...(schema.anyOf ?? []), ...(isSchema(schema["items"]) ? [schema["items"]] : [])];
  const found = [...own.map(String), ...others.flatMap(valuesOf)];
  if (schema.type === "boolean") found.push("true", "false");
  return [...new Set(found)];
}

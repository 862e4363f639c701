import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { configJsonSchema } from "../src/admin/config/json-schema.ts";
import { shareRepeated } from "../src/lib/json-schema.ts";
import { ruleJsonSchema } from "../src/monitor/rules/rule-schema.ts";

const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
// Editors show it; nothing is checked by it.
ajv.addKeyword("patternErrorMessage");

const SCHEMAS = {
  config: ajv.compile(shareRepeated(configJsonSchema())),
  rule: ajv.compile(shareRepeated(ruleJsonSchema())),
} satisfies Record<string, ValidateFunction>;

/** What an editor finds wrong with the content of a file, by another program's reading of our JSON Schemas. */
export function schemaFaults(of: keyof typeof SCHEMAS, content: unknown): readonly string[] {
  const validate = SCHEMAS[of];
  return validate(content) ? [] : (validate.errors ?? []).map(describe);
}

function describe({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || "/"} ${message} ${JSON.stringify(params)}`;
}

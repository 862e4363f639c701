import { z } from "zod";
import { editorSchema, type JsonSchema } from "../../lib/json-schema.ts";
import { Severity } from "../model/severity.ts";
import { mentionConditions, windowConditions } from "./conditions.ts";
import type { WindowConditionType } from "./define-window-condition.ts";
import { MentionLimits } from "./mention-steps.ts";
import { RuleFile } from "./rule-file.ts";

const CONDITIONS = { $ref: "#/definitions/conditions" };

/** A rule file as a JSON Schema (draft 7), for editors: made of the schemas that `earshot check` uses. */
export function ruleJsonSchema(): JsonSchema {
  const { $schema, ...file } = editorSchema(RuleFile);
  const counted = windowConditions.map((type) => [type.type, paramsOf(type)] as const);
  return {
    $schema,
    title: "Rule of Earshot",
    description: "Which mentions open an alert. One file is one rule.",
    ...file,
    properties: {
      ...file.properties,
      // Which steps it may have depends on what the rule counts, see below.
      severity: { description: file.properties?.["severity"]?.description ?? "" },
      when: { ...file.properties?.["when"], ...CONDITIONS },
      ...Object.fromEntries(counted),
    },
    anyOf: ["when", ...counted.map(([type]) => type)].map((key) => ({ required: [key] })),
    allOf: [...windowConditions.map(besideCounts), besideMentions()],
    definitions: {
      conditions: treeSchema(),
      "mention-step": nestedSchema(MentionLimits),
      ...Object.fromEntries(
        windowConditions.flatMap(({ type, stepLimits }) =>
          stepLimits === undefined ? [] : [[`${type}-step`, nestedSchema(stepLimits)]],
        ),
      ),
    },
  };
}

/** Conditions on a mention, which nest. */
function treeSchema(): JsonSchema {
  const keys = Object.fromEntries(
    mentionConditions.map(({ type, params }) => [type, params.exactOptional()]),
  );
  const { properties, ...tree } = nestedSchema(z.strictObject(keys));
  const list = { type: "array", items: CONDITIONS, minItems: 1 };
  return {
    description: "Conditions on a mention. Everything named must match.",
    ...tree,
    properties: {
      ...properties,
      all: { description: "A list of groups of conditions that all must match.", ...list },
      any: { description: "A list of groups of conditions, of which one must match.", ...list },
      not: {
        description: "Conditions that must not match. A missing field counts as no match.",
        ...CONDITIONS,
      },
    },
    minProperties: 1,
  };
}

function nestedSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...nested } = editorSchema(schema);
  return nested;
}

function paramsOf({ params, trees = [] }: WindowConditionType): JsonSchema {
  const { properties, ...schema } = nestedSchema(params);
  const nested = trees.map((key) => [key, { ...properties?.[key], ...CONDITIONS }] as const);
  return { ...schema, properties: { ...properties, ...Object.fromEntries(nested) } };
}

/** A rule counts one thing; its severity steps are those of it, and it is grouped by query. */
function besideCounts({ type, stepLimits, firesOnce }: WindowConditionType): JsonSchema {
  const others = windowConditions.filter((other) => other.type !== type);
  const onlyQuery = { const: "query" };
  return ifThen(
    { required: [type] },
    {
      ...Object.fromEntries(others.map((other) => [other.type, false])),
      severity: stepsSchema(stepLimits === undefined ? null : type),
      groupBy: { anyOf: [onlyQuery, { type: "array", items: onlyQuery }] },
      ...(firesOnce && { for: NOT_AT_ALL }),
    },
  );
}

function besideMentions(): JsonSchema {
  const counts = windowConditions.map(({ type }) => ({ required: [type] }));
  return ifThen({ not: { anyOf: counts } }, { severity: stepsSchema("mention"), for: NOT_AT_ALL });
}

/** `false` forbids a key. */
function ifThen(condition: JsonSchema, properties: Readonly<Record<string, JsonSchema | false>>): JsonSchema {
  return branch(condition, { properties });
}

/** Editors show faults of the branch that applies; of `anyOf` they may show those of another one. */
function branch(condition: JsonSchema, yes: unknown, no: JsonSchema = {}): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: it is a key of JSON Schema, and nobody awaits it.
  return { if: condition, then: yes, else: no };
}

/** `for` waits until counts have been so for a time, so it goes with counts only. */
const NOT_AT_ALL = {
  pattern: "^\\s*(0+(\\.0+)?\\s*(ms|[smhdw])\\s*)+$",
  patternErrorMessage: '"for" goes with rules that count mentions over time',
};

/** `{ info: always, warning: … }`: one severity is the initial one, and the others are above it. */
function stepsSchema(kind: string | null): JsonSchema {
  const initial = Severity.options.map((severity) => ({
    required: [severity],
    properties: { [severity]: ALWAYS },
  }));
  /** How far a severity is above the initial one → what it may be. */
  const besideInitial = (above: number): JsonSchema | false =>
    kind === null || above < 0 ? false : { not: ALWAYS };
  const steps: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(
      Severity.options.map((severity) => [severity, stepSchema(severity, kind)]),
    ),
    additionalProperties: false,
    anyOf: initial,
    allOf: initial.map((isInitial, at) =>
      ifThen(
        isInitial,
        Object.fromEntries(
          Severity.options.flatMap((severity, other) =>
            other === at ? [] : [[severity, besideInitial(other - at)]],
          ),
        ),
      ),
    ),
  };
  return branch({ type: "object" }, steps, { enum: Severity.options });
}

const ALWAYS = { const: "always" };

function stepSchema(severity: Severity, kind: string | null): JsonSchema {
  const limits = { $ref: `#/definitions/${kind}-step` };
  const list = { type: "array", items: limits, minItems: 1 };
  return {
    description: `When an alert is ${severity}: always (from the start), or what has to be reached.`,
    ...(kind === null ? ALWAYS : branch({ type: "object" }, limits, { anyOf: [ALWAYS, list] })),
  };
}

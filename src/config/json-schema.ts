import { z } from "zod";
import { notifiers } from "../notify/notifiers.ts";
import { ConfigFile } from "./config-file.ts";
import { Receiver } from "./receiver-config.ts";

/** The part of a JSON Schema that is used here. */
interface Node {
  properties?: Record<string, Node>;
  required?: string[];
  allOf?: unknown[];
  type?: string;
  enum?: unknown[];
  [key: string]: unknown;
}

/**
 * `earshot.yaml` as a JSON Schema (draft 7), for editors: names, types of values and required keys. Only `earshot
 * check` finds unknown names and wrong durations.
 */
export function configJsonSchema(): object {
  const file = schemaOf(ConfigFile);
  const receivers = file.properties?.["receivers"];
  if (receivers !== undefined)
    receivers["items"] = { anyOf: notifiers.map(({ config }) => receiverOf(config)) };
  return { title: "earshot.yaml", ...withSecretFiles(file) };
}

function schemaOf(schema: z.ZodType): Node {
  return z.toJSONSchema(schema, { io: "input", target: "draft-7", unrepresentable: "any" }) as Node;
}

/** A receiver is a name, its manners, and what the notifier of its kind needs. */
function receiverOf(config: z.ZodType): Node {
  const { $schema: _, ...kind } = schemaOf(config);
  const { properties, required = [] } = schemaOf(Receiver);
  const throttle = { anyOf: [{ const: "none" }, properties?.["throttle"]] };
  return {
    ...kind,
    properties: { ...properties, throttle, ...kind.properties },
    required: [...required, ...(kind.required ?? [])],
  };
}

/**
 * Every text may come from a file (`password_file: path` instead of `password`) or hold `${NAME}`, so the schema has no
 * formats or patterns.
 */
function withSecretFiles(node: Node): Node {
  const { format: _, pattern: __, ...plain } = node;
  const entries = Object.entries(plain).map(([key, value]) => [key, deeply(value)]);
  const copy = Object.fromEntries(entries) as Node;
  const { properties, required = [] } = copy;
  if (properties === undefined) return copy;
  const texts = Object.keys(properties).filter((name) => {
    const { type, enum: values } = properties[name] ?? {};
    return type === "string" && values === undefined;
  });
  for (const name of texts) properties[`${name}_file`] = { type: "string" };
  const either = required.filter((name) => texts.includes(name));
  if (either.length === 0) return copy;
  const choices = either.map((name) => ({ anyOf: [{ required: [name] }, { required: [`${name}_file`] }] }));
  return {
    ...copy,
    required: required.filter((name) => !either.includes(name)),
    allOf: [...(copy.allOf ?? []), ...choices],
  };
}

function deeply(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deeply);
  return typeof value === "object" && value !== null ? withSecretFiles(value as Node) : value;
}

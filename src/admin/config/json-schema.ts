import type { z } from "zod";
import { kinds } from "#feeds";
import { notifiers, Receiver } from "#monitor";
import { editorSchema, type JsonSchema, rewrite } from "../../lib/json-schema.ts";
import { ConfigFile } from "./config-file.ts";

/** `earshot.yaml` as a JSON Schema (draft 7), for editors: made of the schemas that `earshot check` uses. */
export function configJsonSchema(): JsonSchema {
  const { $schema, properties, ...file } = editorSchema(ConfigFile);
  const receivers = { ...properties?.["receivers"], items: { anyOf: notifiers.map(receiverOf) } };
  const listen = properties?.["listen"] ?? {};
  const feeds = { ...listen.properties?.["feeds"], items: { anyOf: kinds.map(feedOf) } };
  return {
    $schema,
    title: "earshot.yaml",
    description: "The configuration of Earshot.",
    // Who listens and names no receiver has those of local-receivers.ts.
    if: { required: ["listen"], not: { required: ["receivers"] } },
    else: { required: ["receivers", "routes"] },
    ...rewrite(
      {
        ...file,
        properties: {
          ...properties,
          receivers,
          listen: { ...listen, properties: { ...listen.properties, feeds } },
        },
      },
      withSecrets,
    ),
  };
}

function feedOf({ config }: { readonly config: z.ZodType }): JsonSchema {
  const { $schema: _, ...kind } = editorSchema(config);
  return kind;
}

/** A receiver is a name, its manners, and what the notifier of its kind needs. */
function receiverOf({ config }: { readonly config: z.ZodType }): JsonSchema {
  const { $schema: _, ...kind } = editorSchema(config);
  const { properties, required = [] } = editorSchema(Receiver);
  const { description, ...throttle } = properties?.["throttle"] ?? {};
  return {
    ...kind,
    properties: {
      ...properties,
      throttle: { description: description ?? "", anyOf: [{ const: "none" }, throttle] },
      ...kind.properties,
    },
    required: [...required, ...(kind.required ?? [])],
  };
}

/**
 * Every text may hold `${NAME}`, or come from a file: `password_file: path` instead of `password`. Editors offer the
 * second for secrets only, which are `writeOnly`.
 */
function withSecrets(node: JsonSchema): JsonSchema {
  const { format: _, ...copy } = withVariables(node);
  const { properties, required = [] } = copy;
  if (properties === undefined) return copy;
  const texts = Object.keys(properties).filter((name) => isText(properties[name]));
  const secrets = texts.filter((name) => properties[name]?.["writeOnly"] === true);
  const others = texts.filter((name) => !secrets.includes(name));
  const either = required.filter((name) => texts.includes(name));
  const choices = either.map((name) => ({ anyOf: [{ required: [name] }, { required: [`${name}_file`] }] }));
  return {
    ...copy,
    properties: Object.fromEntries(
      Object.entries(properties).flatMap(([name, one]) =>
        secrets.includes(name)
          ? [
              [
                name,
                {
                  ...one,
                  description: `${one.description} Best from a variable, such as \${${variableOf(name)}}.`,
                },
              ],
              [`${name}_file`, fileOf(name)],
            ]
          : [[name, one]],
      ),
    ),
    ...(others.length > 0 && {
      patternProperties: { [`^(${others.join("|")})_file$`]: fileOf("the key without _file") },
    }),
    required: required.filter((name) => !either.includes(name)),
    ...(choices.length > 0 && { allOf: [...(copy.allOf ?? []), ...choices] }),
  };
}

function fileOf(what: string): JsonSchema {
  return {
    type: "string",
    minLength: 1,
    description: `A file with the value of ${what}, relative to the folder of earshot.yaml. Example: secrets/password`,
  };
}

/** `password` → `PASSWORD`, `privateKey` → `PRIVATE_KEY`. */
function variableOf(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toUpperCase();
}

function isText(schema: JsonSchema | undefined): boolean {
  return schema?.type === "string" && schema.enum === undefined && schema.const === undefined;
}

/** What is demanded of a text holds for the value of its variable, which an editor does not know. */
function withVariables({ pattern, minLength, maxLength: _, ...node }: JsonSchema): JsonSchema {
  return {
    ...node,
    ...(minLength !== undefined && { minLength: 1 }),
    ...(typeof pattern === "string" && { pattern: `(${pattern})|\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}` }),
  };
}

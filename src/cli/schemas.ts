import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { configJsonSchema } from "#admin";
import { ruleTestJsonSchema } from "#lab";
import { ruleJsonSchema } from "#monitor";
import { describeError, UserError } from "../lib/errors.ts";
import { type JsonSchema, printSchema, shareRepeated } from "../lib/json-schema.ts";
import { print, printJson } from "./common/print.ts";

interface PublishedSchema {
  readonly file: string;
  /** Which files it is for. */
  readonly of: string;
  /** The first line of such a file, if the schema is in the folder of earshot.yaml. */
  readonly line: string;
  schema(): JsonSchema;
}

/** Every JSON Schema that Earshot publishes; docs/schemas has a copy of each. */
export const SCHEMAS: readonly PublishedSchema[] = [
  {
    file: "earshot.schema.json",
    of: "earshot.yaml",
    line: schemaLine("earshot.schema.json"),
    schema: configJsonSchema,
  },
  {
    file: "rule.schema.json",
    of: "each rule",
    line: schemaLine("../rule.schema.json"),
    schema: ruleJsonSchema,
  },
  {
    file: "rule-test.schema.json",
    of: "each rule test",
    line: schemaLine("../../rule-test.schema.json"),
    schema: ruleTestJsonSchema,
  },
];

/** The comment by which editors find the schema of a YAML file; `path` is relative to that file. */
export function schemaLine(path: string): string {
  return `# yaml-language-server: $schema=${path}`;
}

/** As it stands in its file. */
export function schemaText(schema: JsonSchema): string {
  return `${printSchema(shareRepeated(schema))}\n`;
}

/** What a new configuration needs beside it. */
export const SETUP_SCHEMAS = SCHEMAS.map(({ file, schema }) => ({ file, text: () => schemaText(schema()) }));

/** `earshot schemas`: writes the JSON Schemas, with which editors complete, explain and check YAML files. */
export function defineSchemasCommand(command: Command): void {
  command
    .option("--out <folder>", "where to write them", ".")
    .option("--json", "print them as one JSON object, by file name, and write nothing", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot schemas                     writes ${SCHEMAS.map(({ file }) => file).join(", ")} here
  earshot schemas --out schemas

In VS Code, install the extension YAML (Red Hat). Other editors take the YAML Language Server. The first line of each
file names its schema; earshot rules new writes it by itself. In a clone the schemas are in docs/schemas already.
Write them again after an update of Earshot.`,
    )
    .action(async ({ out, json }: { out: string; json: boolean }) => {
      if (json)
        return printJson(
          Object.fromEntries(SCHEMAS.map(({ file, schema }) => [file, shareRepeated(schema())])),
        );
      await mkdir(out, { recursive: true }).catch((error: unknown) => refuse(out, error));
      for (const { file, of, line, schema } of SCHEMAS) {
        const path = join(out, file);
        await writeFile(path, schemaText(schema())).catch((error: unknown) => refuse(path, error));
        print(`${path}: the first line of ${of}${out === "." ? ` is\n  ${line}` : " names it"}`);
      }
    });
}

function refuse(path: string, error: unknown): never {
  throw new UserError(`${path} cannot be written: ${describeError(error)}`);
}

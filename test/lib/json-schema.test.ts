import { expect, test } from "vitest";
import { type JsonSchema, printSchema, shareRepeated } from "../../src/lib/json-schema.ts";

const every: JsonSchema = { type: "string", description: "How often it is fetched. ".repeat(5) };
const kind = (name: string): JsonSchema => ({
  type: "object",
  properties: { kind: { const: name }, every, "^x$": { anyOf: [every, { type: "null" }] } },
});

test("what stands in several places word for word is a definition, the rest stays in its place", () => {
  const shared = shareRepeated({ items: { anyOf: [kind("rss"), kind("news")] } } as JsonSchema);
  expect(shared.definitions).toEqual({
    every,
    value: { anyOf: [{ $ref: "#/definitions/every" }, { type: "null" }] },
  });
  const of = (name: string) => ({
    type: "object",
    properties: {
      kind: { const: name },
      every: { $ref: "#/definitions/every" },
      "^x$": { $ref: "#/definitions/value" },
    },
  });
  expect(shared["items"]).toEqual({ anyOf: [of("rss"), of("news")] });
});

test("a definition that is there keeps its name, and short things are no definitions", () => {
  const own = { type: "number" };
  const shared = shareRepeated({
    definitions: { every: own },
    anyOf: [every, { not: every }, own, { not: own }],
  });
  expect(Object.keys(shared.definitions ?? {})).toEqual(["every", "anyOf"]);
  expect(shared.definitions?.["every"]).toEqual(own);
});

test("a schema is printed with what fits in one line, and reads back as the same", () => {
  const schema = { anyOf: [kind("rss"), { enum: ["a\n b", "c"] }] };
  expect(printSchema(schema)).toContain('{ "enum": [ "a\\n b", "c" ] }');
  expect(JSON.parse(printSchema(schema))).toEqual(schema);
});

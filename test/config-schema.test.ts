import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { configJsonSchema } from "../src/config/json-schema.ts";

const editor = z.fromJSONSchema(configJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
const isValid = (content: unknown) => editor.safeParse(content).success;
const VALID = {
  source: { baseUrl: "https://l.example", username: "a", password: "b", clientId: "c" },
  receivers: [{ name: "hook", kind: "webhook", url: "https://hook.example" }],
  routes: [{ receivers: ["hook"] }],
};

test("the published JSON Schema takes the example configuration and what check takes", async () => {
  expect(isValid(parse(await readFile("earshot.example.yaml", "utf8")))).toBe(true);
  expect(isValid(VALID)).toBe(true);
  const { password: _, ...rest } = VALID.source;
  expect(isValid({ ...VALID, source: { ...rest, password_file: "secret.txt" } })).toBe(true);
  expect(isValid({ ...VALID, receivers: [{ ...VALID.receivers[0], throttle: "none" }] })).toBe(true);
});

test("it refuses an unknown name, an unknown kind, and a missing key", () => {
  expect(isValid({ ...VALID, rooutes: [] })).toBe(false);
  expect(isValid({ ...VALID, receivers: [{ name: "x", kind: "carrier" }] })).toBe(false);
  // Zod's reading of a schema forgets this one where conditions stand beside it; editors do not.
  const kinds = JSON.stringify(configJsonSchema()).match(/"additionalProperties":false/g) ?? [];
  expect(kinds.length).toBeGreaterThan(10);
  const { receivers: _, ...without } = VALID;
  expect(isValid(without)).toBe(false);
  expect(JSON.stringify(configJsonSchema())).toContain(
    '{"anyOf":[{"required":["password"]},{"required":["password_file"]}]}',
  );
});

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { configJsonSchema } from "../src/config/json-schema.ts";

const editor = z.fromJSONSchema(configJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
const isValid = (content: unknown) => editor.safeParse(content).success;
const SOUND = {
  source: { baseUrl: "https://l.example", username: "a", password: "b", clientId: "c" },
  receivers: [{ name: "hook", kind: "webhook", url: "https://hook.example" }],
  routes: [{ receivers: ["hook"] }],
};

test("the published JSON Schema takes the example configuration and what check takes", async () => {
  expect(isValid(parse(await readFile("earshot.example.yaml", "utf8")))).toBe(true);
  expect(isValid(SOUND)).toBe(true);
  const { password: _, ...rest } = SOUND.source;
  expect(isValid({ ...SOUND, source: { ...rest, password_file: "secret.txt" } })).toBe(true);
  expect(isValid({ ...SOUND, receivers: [{ ...SOUND.receivers[0], throttle: "none" }] })).toBe(true);
});

test("it refuses a name that nobody knows, a kind that there is not, and what is missing", () => {
  expect(isValid({ ...SOUND, rooutes: [] })).toBe(false);
  expect(isValid({ ...SOUND, receivers: [{ name: "x", kind: "pigeon" }] })).toBe(false);
  // Zod's reading of a schema forgets this one where conditions stand beside it; editors do not.
  const kinds = JSON.stringify(configJsonSchema()).match(/"additionalProperties":false/g) ?? [];
  expect(kinds.length).toBeGreaterThan(10);
  const { receivers: _, ...without } = SOUND;
  expect(isValid(without)).toBe(false);
  expect(JSON.stringify(configJsonSchema())).toContain(
    '{"anyOf":[{"required":["password"]},{"required":["password_file"]}]}',
  );
});

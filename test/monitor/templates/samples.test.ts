import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { samples } from "../../../src/monitor/templates/samples.ts";

test("every sample has a name of its own, and both kinds have some", () => {
  const names = samples.map(({ about, name }) => `${about} ${name}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(["alert fired", "alert resolved", "alert test", "digest full", "digest quiet"]),
  );
});

test("every field of the views is described in templates/README.md", () => {
  const text = readFileSync("templates/README.md", "utf8");
  const fields = new Set(samples.flatMap(({ view }) => fieldsOf(view)));
  expect([...fields].filter((field) => !text.includes(`\`${field}\``))).toEqual([]);
});

function fieldsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsOf);
  if (value === null || typeof value !== "object") return [];
  // Names of numbers behind an alert depend on its rule.
  return Object.entries(value).flatMap(([name, inside]) =>
    name === "values" ? [] : [name, ...fieldsOf(inside)],
  );
}

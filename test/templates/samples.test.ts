import { expect, test } from "vitest";
import { samples } from "../../src/templates/samples.ts";

test("every sample has a name of its own, and both kinds have some", () => {
  const names = samples.map(({ about, name }) => `${about} ${name}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(["alert fired", "alert resolved", "alert test", "digest full", "digest quiet"]),
  );
});

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the code in CONTRIBUTING.md is a file of the product, so it compiles", () => {
  const blocks = [...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/```ts\n(.*?)```/gs)].map(
    ([, code]) => code,
  );
  expect(blocks).toEqual([readFileSync("src/monitor/rules/conditions/tag.ts", "utf8")]);
});

import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { mentionConditions, windowConditions } from "../../../src/monitor/rules/conditions.ts";

const types = [...mentionConditions, ...windowConditions].map(({ type }) => type);

describe("the list of conditions", () => {
  it("names every file of its folder, and every file is named after its type", async () => {
    const files = await readdir(new URL("../../../src/monitor/rules/conditions/", import.meta.url));
    const kebab = types.map(
      (type) => `${type.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`,
    );
    expect(
      kebab.sort(),
      "Add the condition to the list in src/monitor/rules/conditions.ts, and name its file after its `type` in kebab-case.",
    ).toEqual(files.sort());
  });

  it("is documented completely in rules/README.md", async () => {
    const manual = await readFile(new URL("../../../rules/README.md", import.meta.url), "utf8");
    expect(
      types.filter((type) => !manual.includes(`\`${type}`)),
      "Add a row for the condition to the table in rules/README.md.",
    ).toEqual([]);
  });
});

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeFault } from "../../../src/lib/errors.ts";
import { loadRules } from "../../../src/monitor/rules/load-rules.ts";
import { parseRule } from "../../../src/monitor/rules/parse-rule.ts";
import { aQuery } from "./a-mention.ts";

const SHIPPED = new URL("../../../rules/", import.meta.url);

describe("loadRules", () => {
  it("loads every shipped rule without a fault", async () => {
    const { rules, faults } = await loadRules(SHIPPED.pathname);
    expect(faults.map(describeFault)).toEqual([]);
    expect(rules.map(({ name, kind, severity }) => `${name} ${kind} ${severity}`)).toEqual([
      "crisis-spike window warning",
      "influential-negative mention warning",
      "legal-and-safety-words mention info",
      "negative-share-surge window warning",
      "safety-category window warning",
      "volume-spike window warning",
    ]);
    expect(rules.every((rule) => rule.appliesTo(aQuery()))).toBe(true);
  });

  it("reports a folder inside, whose rules would not be read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "earshot-rules-"));
    for (const inside of ["team", "pictures"]) await mkdir(join(folder, inside));
    await writeFile(
      join(folder, "team/one.yaml"),
      "description: d\nseverity: info\nwhen: { sentiment: negative }\n",
    );
    await writeFile(join(folder, "pictures/one.png"), "");
    const { faults } = await loadRules(folder);
    await rm(folder, { recursive: true });
    expect(faults.map((fault) => describeFault(fault).replace(`${folder}/`, ""))).toEqual([
      "team:1:1 folders inside the folder of rules are not read: move the files of team/ next to the others",
    ]);
  });

  it("reports the faults of all files at once and keeps the valid rules", async () => {
    const folder = await mkdtemp(join(tmpdir(), "earshot-rules-"));
    const valid = "description: d\nseverity: info\nwhen: { sentiment: negative }\n";
    await writeFile(join(folder, "valid.yaml"), valid);
    await writeFile(join(folder, "Not Kebab.yaml"), valid);
    await writeFile(join(folder, "other.yml"), valid);
    await writeFile(join(folder, "empty.yaml"), "");
    await writeFile(join(folder, "README.md"), "not a rule");
    const { rules, faults } = await loadRules(folder);
    await rm(folder, { recursive: true });
    expect(rules.map(({ name }) => name)).toEqual(["valid"]);
    expect(faults.map((fault) => describeFault(fault).replace(`${folder}/`, ""))).toEqual([
      'Not Kebab.yaml:1:1 a rule is named in lower case with hyphens, as its file is — did you mean "not-kebab.yaml"?',
      "empty.yaml:1:1 expected keys with values, got nothing",
      'other.yml:1:1 rule files end in .yaml — did you mean "other.yaml"?',
    ]);
  });

  it("understands every example of its manual, and the manual names every condition", async () => {
    const manual = await readFile(new URL("README.md", SHIPPED), "utf8");
    const examples = [...manual.matchAll(/```yaml\n# (.+)\.yaml\n([\s\S]*?)```/g)];
    expect(examples.length).toBe(9);
    for (const [, name = "", text = ""] of examples) {
      const read = parseRule(name, `${name}.yaml`, text);
      expect("faults" in read ? read.faults.map(describeFault) : []).toEqual([]);
    }
  });
});

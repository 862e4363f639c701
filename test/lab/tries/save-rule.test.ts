import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { createRuleReader } from "../../../src/lab/tries/rule-reader.ts";
import { HISTORY } from "../../../src/lab/tries/save-file.ts";
import { saveRule } from "../../../src/lab/tries/save-rule.ts";
import { createLog } from "../../../src/lib/log.ts";
import { ruleVersion } from "../../../src/monitor/rules/load-rules.ts";
import type { Stores } from "../../../src/monitor/store/stores.ts";
import { useStores } from "../../use-stores.ts";

const { stores } = await useStores();
const log = createLog({ level: "silent" });
const reader = createRuleReader(log);
afterAll(reader.close);
const NOW = Date.parse("2026-03-02T08:00:00Z");
const OLD = "description: Complaints.\nseverity: warning\nwhen: { sentiment: negative }\n";
const NEW = OLD.replace("warning", "critical");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-save-rule-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function save(name: string, its: Stores = stores) {
  await writeFile(join(folder, `${name}.yaml`), OLD);
  const asked = {
    ...{ name, text: NEW, opened: ruleVersion(OLD) },
    actor: { via: "page", login: "ada", typed: null },
  } as const;
  return saveRule({ folder, stores: its, reader, log }, asked, NOW);
}
const textOf = (name: string) => readFile(join(folder, `${name}.yaml`), "utf8");

test("a change of a file is on record although the connection breaks at the end", async () => {
  const breaking: Stores = {
    ...stores,
    transaction: (work) =>
      stores.transaction(async (inner) => {
        await work(inner);
        throw new Error("the connection was lost");
      }),
  };
  expect(await save("broken", breaking)).toEqual({ outcome: "Saved", next: "Restart Earshot to use it." });
  expect(await textOf("broken")).toBe(NEW);
  expect(await stores.rulePages.edits("broken", 5)).toMatchObject([
    { rule: "broken", before: ruleVersion(OLD), after: ruleVersion(NEW) },
  ]);
});

test("a change that cannot be written is not on record", async () => {
  // Where the old version should go there is a file.
  await writeFile(join(folder, HISTORY), "");
  expect(await save("unwritten")).toMatchObject({ because: expect.stringContaining("cannot be written") });
  expect(await textOf("unwritten")).toBe(OLD);
  expect(await stores.rulePages.edits("unwritten", 5)).toEqual([]);
});

test("a file is not changed where the change cannot be put on record", async () => {
  const refusing: Stores = {
    ...stores,
    rulePages: { ...stores.rulePages, noteEdit: () => Promise.reject(new Error("the tables are full")) },
  };
  expect(await save("unrecorded", refusing)).toMatchObject({
    because: expect.stringContaining("cannot be written"),
  });
  expect(await textOf("unrecorded")).toBe(OLD);
});

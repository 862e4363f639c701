import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { NotifierConfig, notifiers } from "../../../src/monitor/notify/notifiers.ts";

it("every file of a notifier is in the list", async () => {
  const entries = await readdir("src/monitor/notify/notifiers", { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name.replace(/\.ts$/, ""));
  expect(
    notifiers.map(({ kind }) => kind).sort(),
    "Add the notifier to the list in src/monitor/notify/notifiers.ts, and name its file after its kind.",
  ).toEqual(files.sort());
});

it.each(notifiers)("a receiver can have the kind $kind", ({ kind }) => {
  const issues = NotifierConfig.safeParse({ kind }).error?.issues ?? [];
  expect(
    issues.filter(({ path }) => path[0] === "kind"),
    `The config of ${kind} needs kind: z.literal("${kind}").`,
  ).toEqual([]);
});

it("the manual has an example of every kind of receiver", async () => {
  const manual = await readFile("docs/configuration.md", "utf8");
  expect(
    notifiers.filter(({ kind }) => !manual.includes(`kind: ${kind}`)).map(({ kind }) => kind),
    "Add a receiver of this kind to the examples in docs/configuration.md.",
  ).toEqual([]);
});

it("a receiver's configuration names unknown keys", () => {
  const result = NotifierConfig.safeParse({ kind: "slack", channel: "#a", token: "t", chanel: "#b" });
  expect(result.error?.issues[0]?.message).toContain("chanel");
});

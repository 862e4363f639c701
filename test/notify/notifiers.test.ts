import { readdir } from "node:fs/promises";
import { expect, it } from "vitest";
import { NotifierConfig, notifiers } from "../../src/notify/notifiers.ts";

it("every file of a notifier is in the list", async () => {
  const entries = await readdir("src/notify/notifiers", { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name.replace(/\.ts$/, ""));
  expect(notifiers.map(({ kind }) => kind).sort()).toEqual(files.sort());
});

it("a receiver's configuration names unknown keys", () => {
  const result = NotifierConfig.safeParse({ kind: "slack", channel: "#a", token: "t", chanel: "#b" });
  expect(result.error?.issues[0]?.message).toContain("chanel");
});

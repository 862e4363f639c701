import { expect, test } from "vitest";
import { findMixtures, versionsIn } from "./versions.ts";

const WHOLE = "From: Earshot config-v3\n\nRule rules-v3 … templates-v3";

test("a message of one version is whole", () => {
  expect(versionsIn(WHOLE)).toEqual([3]);
  expect(findMixtures([WHOLE], new Set([3]))).toEqual({ mixed: [], refused: [], plain: [] });
});

test.each([
  ["the templates of another version", "rules-v3 templates-v4", "mixed"],
  ["a refused version", "rules-v5 templates-v5", "refused"],
  ["no version at all", "CRITICAL Acme", "plain"],
] as const)("a message with %s is found", (_, message, what) => {
  expect(findMixtures([WHOLE, message], new Set([3, 4]))[what]).toEqual([message]);
});

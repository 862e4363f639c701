import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { previewMessage } from "../../../src/monitor/notify/preview-message.ts";
import { previewFiles } from "../../../src/monitor/notify/previews/preview-template.ts";
import { contentOfSample } from "../../../src/monitor/notify/previews/sample-message.ts";
import { createRenderer } from "../../../src/monitor/templates/create-renderer.ts";
import { samples } from "../../../src/monitor/templates/samples.ts";

/**
 * Every sample for every kind of receiver, as files that can be read and opened: a change of words or looks shows as a
 * diff. `npx vitest run test/monitor/templates/rendered.test.ts -u` writes them again.
 */
const FOLDER = join(import.meta.dirname, "rendered");

const left = readdirSync(FOLDER);
const renderer = await createRenderer({ folder: "templates" });
const files = samples.flatMap((sample) =>
  previewFiles(`${sample.about}-${sample.name}`, previewMessage(contentOfSample(sample), renderer), []),
);

test.each(files)("$name is what its templates make", async ({ name, content }) => {
  await expect(content).toMatchFileSnapshot(join(FOLDER, name));
});

test("no rendered sample is left of one that is no more", () => {
  const made = new Set(files.map(({ name }) => name));
  expect(left.filter((name) => !made.has(name))).toEqual([]);
});

import { expect, test } from "vitest";
import { previewMessage } from "../../../src/monitor/notify/preview-message.ts";
import { createRenderer } from "../../../src/monitor/templates/create-renderer.ts";
import { storedDigest } from "../../../src/monitor/templates/digest-view.ts";
import { sampleDigestViews } from "../../../src/monitor/templates/sample-digest-views.ts";

const LATER = new Set([
  "language",
  "topAuthors",
  "topHashtags",
  "unsubscribeUrl",
  "volume",
  "usualMentions",
  "usualNegative",
]);

test("an edition stored by an earlier version is sent, without fields that version did not have", async () => {
  const renderer = await createRenderer({ folder: "templates" });
  const [sample] = sampleDigestViews;
  const stored: unknown = JSON.parse(
    JSON.stringify(sample, (key, value) => (LATER.has(key) ? undefined : value)),
  );
  const shown = previewMessage({ kind: "digest", view: storedDigest(stored) }, renderer);
  expect(JSON.stringify(shown)).toContain(sample.name);
});

test("an edition of this version is sent as it was stored", () => {
  for (const view of sampleDigestViews) expect(storedDigest(JSON.parse(JSON.stringify(view)))).toEqual(view);
});

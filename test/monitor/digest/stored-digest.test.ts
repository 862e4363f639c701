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

test.each([
  [null, 3, "no history"],
  [0, 3, "none before"],
  [0, 0, "none, as before"],
  [2, 4, "twice the 2 before"],
])(
  "of a query with %s mentions before and %i now, the mail says %s",
  async (previousMentions, mentions, change) => {
    const renderer = await createRenderer({ folder: "templates" });
    const [sample] = sampleDigestViews;
    const [row] = sample.perQuery;
    if (row === undefined) throw new Error("the sample has no query");
    const perQuery = [{ ...row, mentions, previousMentions, usualMentions: null, usualNegative: null }];
    const html = renderer.render("email/digest.html", { ...sample, quiet: false, perQuery });
    expect(html).toContain(`>${change}</td></tr>`);
  },
);

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultOfMessage } from "../../../../../src/console/inbox/slack-limits.ts";
import {
  type Block,
  blockKit,
  fitBlocks,
} from "../../../../../src/monitor/notify/notifiers/slack/block-kit.ts";
import { escapeValue } from "../../../../../src/monitor/templates/escape.ts";
import { runs } from "../../../../runs.ts";

const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Texts around the limits, of characters that break easily: families, flags, skin tones, accents, entities. */
const piece = fc.constantFrom(
  ...[
    "👩‍👩‍👧‍👦",
    "🇩🇪",
    "👍🏽",
    "é",
    "e\u0301\u0302",
    "नि",
    "🏴‍☠️",
    "a",
    " ",
    "ß",
    "&",
    "<",
    ">",
    "&amp;",
    "*",
    "\n",
    "…",
  ],
);
const torn = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 120 }), fc.nat(5))
  .map(([pieces, times, offset]) => "x".repeat(offset) + pieces.join("").repeat(times));

/** A cut text is the beginning, in whole characters; a text that fits stays as it is. */
function expectWhole(cut: string, text: string, limit: number): void {
  expect(cut.length).toBeLessThanOrEqual(limit);
  if (text.length <= limit) {
    expect(cut).toBe(text);
    return;
  }
  expect(cut.endsWith("…")).toBe(true);
  const kept = cut.slice(0, -1);
  expect(text.startsWith(kept)).toBe(true);
  // Trailing whitespace is removed, so the cut is searched for in the remaining text.
  const ends = new Set([...CHARACTERS.segment(text)].map(({ index }) => index));
  const next = kept.length + (/^\s*/.exec(text.slice(kept.length))?.[0].length ?? 0);
  expect(ends.has(kept.length) || ends.has(next)).toBe(true);
}

it("a quotation that a limit cuts off still ends", () => {
  const header = (text: string) => blockKit.header(text)[0]?.text.text ?? "";
  const cut = header(`Acme: Ann and 7 more mentions: “police count ${"more than 400 ".repeat(20)}”`);
  expect(cut).toMatch(/^Acme: Ann and 7 more mentions: “police count .*…”$/);
  expect(cut.length).toBeLessThanOrEqual(150);
  expect(header(`Acme: “it broke”, ${"62 negative mentions ".repeat(20)}`)).toMatch(/…$/);
});

describe("no block breaks a character when it cuts", () => {
  const plain: readonly (readonly [string, number, (text: string) => string])[] = [
    ["header", 150, (text) => blockKit.header(text)[0]?.text.text ?? ""],
    ["button", 75, (text) => blockKit.button("a", text).text.text],
    ["link button", 75, (text) => blockKit.linkButton(text, "https://a.example/")[0]?.text.text ?? ""],
    ["choice", 75, (text) => blockKit.select("a", "b", [{ text, value: "v" }]).options[0]?.text.text ?? ""],
    ["placeholder", 150, (text) => blockKit.userSelect("a", text).placeholder.text],
    ["alt text", 2000, (text) => blockKit.image("F012345678", text)[0]?.alt_text ?? ""],
  ];
  it.each(plain)("%s", (_name, limit, cut) => {
    fc.assert(
      fc.property(torn, (text) => {
        expectWhole(cut(text), text, limit);
      }),
      { numRuns: runs(60) },
    );
  });

  const mrkdwn: readonly (readonly [string, number, (text: string) => string])[] = [
    ["section", 3000, (text) => blockKit.section(text)[0]?.text.text ?? ""],
    ["context", 2000, (text) => blockKit.context(text)[0]?.elements[0]?.text ?? ""],
  ];
  it.each(mrkdwn)("%s", (_name, limit, cut) => {
    fc.assert(
      fc.property(torn, fc.boolean(), (raw, lines) => {
        const escaped = raw
          .split("\n")
          .map((line) => escapeValue(line, "mrkdwn"))
          .join(lines ? "\n" : " ");
        const shown = cut(escaped);
        expect(shown.length).toBeLessThanOrEqual(limit);
        // Only whole entities: without them no special character of Slack's is left.
        expect(shown.replaceAll(/&(amp|lt|gt);/g, "")).not.toMatch(/[&<>]/);
        expect(shown).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
        if (escaped.length <= limit) expect(shown).toBe(escaped);
        else expect(escaped.startsWith(shown.replace(/\n?…$/, ""))).toBe(true);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe("Slack accepts blocks of any content", () => {
  const anyText = fc.oneof(torn, fc.string({ unit: "grapheme", maxLength: 4000 }));
  it("any text and any number of blocks, because whole blocks are left out", () => {
    const block = fc.tuple(fc.nat(6), anyText).map(([kind, text]): Block[] => {
      const safe = text.trim();
      return (
        [
          () => blockKit.header(safe),
          () => blockKit.section(safe),
          () => blockKit.context(safe),
          () => blockKit.image("F012345678", safe),
          () =>
            blockKit.actions([...blockKit.linkButton(safe || "Open", `https://a.example/${encodeURI("x")}`)]),
          () =>
            blockKit.richText([
              { type: "rich_text_quote", elements: [{ type: "text", text: safe.slice(0, 900) }] },
            ]),
          () => blockKit.section(escapeValue(safe, "mrkdwn")),
        ][kind]?.() ?? []
      );
    });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 60 }), (rows) => {
        const blocks = fitBlocks(rows.flat());
        expect(blocks.length).toBeLessThanOrEqual(50);
        expect(faultOfMessage("text", blocks)).toBeNull();
      }),
      { numRuns: runs(60) },
    );
  });
});

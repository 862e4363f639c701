import fc from "fast-check";
import { expect, test } from "vitest";
import { html, trustedHtml } from "../../../src/console/common/html.ts";

test("every text is escaped, in elements and in attributes", () => {
  const hostile = `"><script>alert('1')</script>&\``;
  expect(html`<p title="${hostile}">${hostile}</p>`.toString()).toBe(`<p title="${ESCAPED}">${ESCAPED}</p>`);
});

const ESCAPED = "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&#96;";

test("no text, however odd, brings a character that could open or close anything", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(html`${text}`.toString()).not.toMatch(/[<>"'`]/);
    }),
  );
});

test("markup nests, lists join, and what is absent leaves nothing", () => {
  const items = ["a", "<b>"].map((text) => html`<li>${text}</li>`);
  expect(html`<ul>${items}${null}${undefined}${false}${0}</ul>`.toString()).toBe(
    "<ul><li>a</li><li>&lt;b&gt;</li>0</ul>",
  );
  expect(html`${trustedHtml("<hr>")}`.toString()).toBe("<hr>");
});

test("a text that merely looks like markup of ours is a text", () => {
  const forged: unknown = { toString: () => "<script>" };
  expect(html`${String(forged)}`.toString()).toBe("&lt;script&gt;");
});

test("a value in an attribute without quotes is refused", () => {
  expect(() => html`<a href=${"x onclick=alert(1)"}>`).toThrow("double quotes");
});

test("control characters become visible, line breaks stay", () => {
  expect(html`${"a\u0000b\u001bc\nd\te"}`.toString()).toBe("a\uFFFDb\uFFFDc\nd\te");
});

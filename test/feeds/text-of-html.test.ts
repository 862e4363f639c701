import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeEntities } from "../../src/feeds/common/entities.ts";
import { textOfHtml } from "../../src/feeds/common/text-of-html.ts";

describe("text of HTML", () => {
  test.each([
    ["ends in an entity", "Fish &amp", "Fish &"],
    ["has the entities of HTML", "caf&eacute;", "café"],
    [
      "of elements that are blocks",
      "<center>A</center>B<option>C</option><option>D</option>",
      "A\n\nB\n\nC\n\nD",
    ],
    ["of a form", "<fieldset><legend>A</legend>B<button>C</button></fieldset>", "A\n\nBC"],
    ["of a table", "<table><caption>A</caption><tr><th>B</th><th>C</th></tr></table>", "A\n\nB C"],
    ["of a whole page", "<head><title>T</title></head><body>B</body>", "T\n\nB"],
    ["of a line that ends with an end tag", "a</br>b", "a\nb"],
    ["in CDATA", "a <![CDATA[b  c]]> d", "a b c d"],
    ["in CDATA that has nothing", "a<![CDATA[]]>b", "ab"],
  ])("%s", (_name, html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });

  test.each([
    ["at the beginning", "<img alt='A cat'>", "A cat"],
    ["between words", "see<img alt='A cat'>run", "see A cat run"],
    ["before a full stop", "see <img alt='A cat'>.", "see A cat."],
    ["before a blank, and a word in pieces", "<img alt=Cat> dog<b>s</b>", "Cat dogs"],
    ["in a list", "<ul><li><img alt=Cat></ul>", "- Cat"],
    ["in a table", "<td>a</td><td><img alt=b></td>", "a b"],
    ["between blanks", "see<img alt='  A cat '>run", "see A cat run"],
    ["that says nothing", "a<img alt=' '>b", "ab"],
    ["with an entity", "<img title='&lt;' alt='A &amp; B' src='?a&amp;b'>", "A & B"],
    ["beside entities of other elements", "<a href='?a=1&amp;b=2' alt='x'>link</a>", "link"],
    ["before nothing, and a word", "<img alt=Cat><![CDATA[]]>dog", "Cat dog"],
    ["that is hidden", "<svg><img alt=Cat></svg>dog", "dog"],
  ])("a picture is its description: %s", (_name, html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });

  test("a description of a picture is cut after 1,500 letters", () => {
    const long = "x".repeat(1_500);
    for (const more of ["", "y", "&amp;", "&amp;y", "&amp;&lt;"])
      expect(textOfHtml(`<img alt="${long}${more}">`)).toBe(long);
    expect(textOfHtml(`<img alt="${long.slice(1)}&amp;y">`)).toBe(`${long.slice(1)}&`);
  });

  test.each([
    ["the end of a paragraph in it", "a<svg></p></svg>b", "ab"],
    ["another element in it", "<svg><g></g></svg>b<svg></svg>c", "bc"],
    ["an element in it that ends at once", "<svg><g/>x</svg>b", "b"],
    ["one that ends at once", "<svg/>a<svg><g/>x</svg>b", "ab"],
    ["one of its own name in it", "<svg><svg>x</svg>y</svg>b<svg></svg>c", "bc"],
    ["code without an end", "a<script>alert(1)", "a"],
    ["a beginning of verbatim text in it", "<svg><pre></svg>a   b<svg></svg>", "a b"],
    ["an end of verbatim text in it", "<pre><svg></pre></svg>a   b</pre>", "a   b"],
  ])("what is hidden hides nothing else: %s", (_name, html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });

  test.each([
    ["inside", "<pre>a   b</pre>", "a   b"],
    ["behind another element inside", "<pre><b>x</b>a   b</pre>", "xa   b"],
    ["not behind it", "<pre>a   b</pre>c   d", "a   b\n\nc d"],
    ["not behind two of them", "<pre>a<pre>b   c</pre>d   e</pre>f   g", "a\n\nb   c\n\nd   e\n\nf g"],
    ["not behind an end without a beginning", "</pre>a   b<pre>c   d</pre>e   f", "a b\n\nc   d\n\ne f"],
  ])("text in <pre> keeps its blanks: %s", (_name, html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });
});

describe("entities", () => {
  test("a number is its character", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0x100, max: 0xd7ff }), (code) => {
        const character = String.fromCharCode(code);
        expect(decodeEntities(`a &#${code}; &#x${code.toString(16)};`)).toBe(`a ${character} ${character}`);
      }),
    );
  });

  test("a name that HTML does not know stays", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (n) => {
        expect(decodeEntities(`a &q${n}; b`)).toBe(`a &q${n}; b`);
      }),
    );
  });

  test("a name that begins with one that HTML reads without its semicolon is that one, and the rest", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (n) => {
        expect(decodeEntities(`&notx${n};`)).toBe(`¬x${n};`);
      }),
    );
  });

  test("a name with its semicolon is its character, and none without it", () => {
    expect(decodeEntities("&Eacute;t&eacute; &lt;b&gt; ?a=1&copy=2 &amp;lt;")).toBe(
      "Été <b> ?a=1&copy=2 &lt;",
    );
  });
});

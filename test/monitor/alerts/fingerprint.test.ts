import fc from "fast-check";
import { expect, test } from "vitest";
import { fingerprint } from "../../../src/monitor/alerts/fingerprint.ts";

test("the order of labels does not matter", () => {
  expect(fingerprint("r", { a: "1", b: "2" })).toBe(fingerprint("r", { b: "2", a: "1" }));
});

test("a fingerprint stays the same from version to version, because open alerts carry it", () => {
  expect(fingerprint("crisis-spike", { query: "Delta" })).toMatchInlineSnapshot(`"m7JQqK2XUh08c9LleR7A6A"`);
});

test("a fingerprint is short and safe in keys and addresses", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.dictionary(fc.string(), fc.string({ unit: "binary" })),
      (r, l) => {
        expect(fingerprint(r, l)).toMatch(/^[\w-]{22}$/);
      },
    ),
  );
});

test.each([
  [{ author: 'a","b' }, { author: "a", b: "" }],
  [{ author: 'a"],["query","b' }, { author: "a", query: "b" }],
  [{ a: "b=c" }, { "a=b": "c" }],
  [{ a: "\ud800" }, { a: "\ufffd" }],
  [{ a: "\ud800" }, { a: "\\ud800" }],
  [{ a: "x" }, { a: "x\u0000" }],
  [{ a: "é" }, { a: "e\u0301" }],
  [{}, { "": "" }],
])(
  "labels made to look alike stay apart: %j and %j",
  (a: Record<string, string>, b: Record<string, string>) => {
    expect(fingerprint("r", a)).not.toBe(fingerprint("r", b));
  },
);

test("two different sets of labels never share a fingerprint", () => {
  const labels = fc.dictionary(
    fc.string({ unit: fc.constantFrom(...'ab",[]:{}\\=') }),
    fc.string({ unit: fc.constantFrom(...'ab",[]:{}\\=') }),
  );
  fc.assert(
    fc.property(labels, labels, (a, b) => {
      const same = JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
      expect(fingerprint("r", a) === fingerprint("r", b)).toBe(same);
    }),
  );
});

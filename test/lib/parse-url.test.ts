import { expect, test } from "vitest";
import { parseUrl } from "../../src/lib/parse-url.ts";

test("an address with letters of a language stays one, however often it is asked", () => {
  // As texts come from JSON: of one piece, each sign one byte.
  const url = String(JSON.parse('"https://bücher.example/"'));
  const no = Array.from({ length: 20_000 }, () => parseUrl(url)).indexOf(null);
  expect(no).toBe(-1);
});

test("a part of an address needs one that it belongs to", () => {
  expect(["/a", "a b", "http://:80"].map((text) => parseUrl(text))).toEqual([null, null, null]);
  expect(parseUrl("/a", "https://b.example")?.href).toBe("https://b.example/a");
});

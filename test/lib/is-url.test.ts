import { expect, test } from "vitest";
import { isUrl } from "../../src/lib/is-url.ts";

test("an address with letters of a language stays one, however often it is asked", () => {
  // As texts come from JSON: of one piece, each sign one byte.
  const url = String(JSON.parse('"https://bücher.example/"'));
  const no = Array.from({ length: 20_000 }, () => isUrl(url)).indexOf(false);
  expect(no).toBe(-1);
});

test("a part of an address needs one that it belongs to", () => {
  expect([isUrl("/a"), isUrl("/a", "https://b.example"), isUrl("a b"), isUrl("http://:80")]).toEqual([
    ...[false, true, false, false],
  ]);
});

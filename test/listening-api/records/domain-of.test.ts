import fc from "fast-check";
import { expect, it } from "vitest";
import { parseUrl } from "../../../src/lib/parse-url.ts";
import { domainOf } from "../../../src/listening-api/records/text-signs.ts";

it("gives the host that a URL has, whichever way it is found", () => {
  const label = fc.oneof(
    fc.constantFrom(
      "www",
      "WWW",
      "x",
      "twitter",
      "com",
      "co",
      "uk",
      "0x7f",
      "127",
      "xn--bcher-kva",
      "bücher",
      "a-b",
      "a_b",
      "%41",
      "",
    ),
    fc.string({ maxLength: 5 }),
  );
  const address = fc
    .tuple(
      fc.constantFrom("http", "https", "HTTPS", "ftp"),
      fc.constantFrom("", "", "ann@", "ann:pw@"),
      fc.array(label, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("", "/", "/a/b", "?q", "#f", ":80/", ":99999/", " ", "\\x"),
    )
    .map(([scheme, user, labels, rest]) => `${scheme}://${user}${labels.join(".")}${rest}`);
  const plainly = (url: string) =>
    /^https?:/i.test(url) ? parseUrl(url)?.hostname.replace(/^www\./, "") || null : null;
  fc.assert(
    fc.property(address, (url) => {
      expect(domainOf(url)).toBe(plainly(url));
    }),
    { numRuns: 3_000 },
  );
});

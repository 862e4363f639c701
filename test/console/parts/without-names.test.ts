import { expect, test } from "vitest";
import { withoutNames } from "../../../src/console/parts/incident-story.ts";

test.each([
  ["Thanks @ann and press@acme.example", "Thanks @… and @…"],
  ["said u/bob, (u/bob) and “/user/bob”", "said @… @… and @…"],
  ["see https://x.example/ann, www.x.example and (www.x.example)", "see (link) (link) and (link)"],
  ["see x.example/ann, or (t.example/ann)", "see (link) or (link)"],
  ["24.12./25.12. and/or e.g. 1.5/2.5 of it", "24.12./25.12. and/or e.g. 1.5/2.5 of it"],
])("outsiders read no handle and no link: %s", (text, shown) => {
  expect(withoutNames(text)).toBe(shown);
});

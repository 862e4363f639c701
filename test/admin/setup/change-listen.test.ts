import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { isSecretKey } from "../../../src/admin/config/find-concerns.ts";
import { changeListen } from "../../../src/admin/setup/change-listen.ts";
import { withoutSecrets } from "../../../src/admin/setup/change-setup.ts";
import { unifiedDiff } from "../../../src/lib/unified-diff.ts";

const VARIABLE = "$".concat("{PUSH_TOKEN}");
const NEW = "listen:\n  queries:\n    - { name: new, text: new }\n";

test.each([
  ["# top\nlisten:\n  queries: [] # old\n  # of listen\n\n# of web\nweb: { port: 1 } # end\n", 1],
  ["web:\n  port: 1\nlisten: { queries: [] }\n", 1],
  ["listen:\n- a\nweb: 1\n", 0],
  ["listen: >\n  a\n\n  b\nweb: |\n  listen:\n    x\n", 1],
  ["# no key\nweb: 1", 1],
  ['"listen": [\n  1,\n  2 ]\n# last comment\n', 1],
])("of %j only `listen` is replaced", (before, fits) => {
  const changed = changeListen(before, NEW);
  if (fits === 0) return expect(changed.outcome).toBe("Unfit");
  if (changed.outcome !== "Changed") throw new Error(changed.because);
  expect(changed.text.split(NEW)).toHaveLength(2);
  const kept = changed.text.replace(NEW, "");
  for (const line of before.split("\n").filter((one) => /^(#|web)/.test(one))) expect(kept).toContain(line);
  expect(changeListen(changed.text, NEW)).toEqual(changed);
});

test("a file that cannot be read, that is one flow, or whose aliases reach into `listen` is left alone", () => {
  for (const text of ["listen: [\n", "{ listen: 1, web: 2 }\n", "listen: &a [1]\nweb: *a\n", "- a\n"])
    expect(changeListen(text, NEW).outcome, text).toBe("Unfit");
});

test("whatever the other keys hold, they stay byte for byte", () => {
  const part = fc.jsonValue({ maxDepth: 3 }).map((value) => stringify({ key: value }).replace(/^key/, ""));
  fc.assert(
    fc.property(part, part, part, (first, old, last) => {
      const changed = changeListen(`a${first}listen${old}z${last}`, NEW);
      expect(changed).toEqual({ outcome: "Changed", text: `a${first}${NEW}z${last}` });
    }),
  );
});

test("the difference names the lines, and a patch of it gives the new text", () => {
  expect(unifiedDiff("f", "a\nb\nc\n", "a\nx\ny\nc\n")).toBe("--- f\n+++ f\n@@ -2,1 +2,2 @@\n-b\n+x\n+y\n");
  expect(unifiedDiff("f", "a\n", "a\nb\n")).toBe("--- f\n+++ f\n@@ -1,0 +2,1 @@\n+b\n");
  expect(unifiedDiff("f", "a\n", "a\n")).toBe("");
});

test("no secret is shown, however it is written", () => {
  const text = `listen:
  feeds:
    - { kind: push, token: "abc\\u0064ef-secret" }
    - kind: mailbox
      password: |
        two-line
        secret
    - { kind: push, token: "${VARIABLE}" }
    - { kind: stack-exchange, sites: [superuser], key: app-secret }
    - kind: rss
      urls: [https://blog.example/feed]
      headers: { x-api-key: header-secret, user-agent: "${VARIABLE}" }
      proxy: { url: "http://proxy.example:3128", password: proxy-secret }
`;
  const shown = withoutSecrets(text);
  expect(shown).not.toContain("secret");
  expect(shown).toContain("token: …");
  expect(shown).toContain("http://proxy.example:3128");
  expect(shown).toContain(VARIABLE);
});

test("every key that the schemas call a secret is one here, too", async () => {
  const schema: unknown = JSON.parse(await readFile("docs/schemas/earshot.schema.json", "utf8"));
  const names = secretNamesIn(schema).filter((name) => name !== "ca");
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !isSecretKey(name, ""))).toEqual([]);
});

function secretNamesIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([name, one]) => [
    ...(Object(one)["writeOnly"] === true ? [name] : []),
    ...secretNamesIn(one),
  ]);
}

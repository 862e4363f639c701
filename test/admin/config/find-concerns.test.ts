import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findConcerns } from "../../../src/admin/config/find-concerns.ts";

const WEB = {
  host: "127.0.0.1",
  port: 8080,
  trustedProxies: [],
  editRules: true,
  editTemplates: true,
  editSetup: false,
  users: [],
  admins: ["ann"],
};
const login = (username: string) => ({ login: { username, password: "correct horse" } });
const found = async (web: Parameters<typeof findConcerns>[1]["web"]) =>
  (await findConcerns("earshot.example.yaml", { receivers: [], web })).filter(({ what }) => what === "page");

test("a name among the admins that is not the shared login is a concern, with what to write instead", async () => {
  const has = { found: expect.stringContaining("web.admins names ann, and has no effect") };
  expect(await found(WEB)).toEqual([
    expect.objectContaining({
      ...has,
      advice: expect.stringContaining("earshot users add ann --role admin"),
    }),
  ]);
  expect(await found({ ...WEB, ...login("bob") })).toEqual([expect.objectContaining(has)]);
  const users = [{ name: "Ann", role: "viewer" as const, passwordHash: "x" }];
  expect(await found({ ...WEB, users })).toEqual([
    expect.objectContaining({ ...has, advice: expect.stringContaining("role: admin") }),
  ]);
  expect(await found({ ...WEB, ...login("ann") })).toEqual([]);
  expect(await found({ ...WEB, admins: [] })).toEqual([]);
});

const VARIABLE = "$".concat("{KEY}");

test.each([
  ["receivers: [{ name: bot, kind: webhook, url: https://hooks.example/abcdef }]", true],
  ["heartbeat: { url: https://hc.example/abcdef }", true],
  ["web: { oidc: { clientSecret: abcdef } }", true],
  ["listen: { feeds: [{ kind: rss, headers: { x-api-key: abcdef } }] }", true],
  ["listen: { feeds: [{ kind: stack-exchange, key: abcdef }] }", true],
  [`listen: { feeds: [{ kind: rss, headers: { x-api-key: "${VARIABLE}" } }] }`, false],
  ["listen: { feeds: [{ kind: rss, proxy: { url: http://proxy.example } }] }", false],
  ["web: { tls: { cert: cert.pem, key: key.pem } }", false],
  ["receivers: [{ name: ann, kind: email, smtp: { tls: { ca: abcdef } } }]", false],
])("of a file that all may read, %s is a secret in clear: %s", async (text, isSecret) => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-concerns-"));
  const file = join(folder, "earshot.yaml");
  try {
    await writeFile(file, text);
    await chmod(file, 0o644);
    const concerns = await findConcerns(file, { receivers: [], web: { ...WEB, admins: [] } });
    expect(concerns.map(({ what }) => what)).toEqual(isSecret ? ["secrets"] : []);
  } finally {
    await rm(folder, { recursive: true });
  }
});

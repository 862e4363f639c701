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

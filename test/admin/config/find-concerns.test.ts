import { expect, test } from "vitest";
import { findConcerns } from "../../../src/admin/config/find-concerns.ts";

const WEB = {
  host: "127.0.0.1",
  port: 8080,
  trustedProxies: [],
  editRules: true,
  editSetup: false,
  admins: ["ann"],
};
const login = (username: string) => ({ login: { username, password: "correct horse" } });
const found = async (web: Parameters<typeof findConcerns>[1]["web"]) =>
  (await findConcerns("earshot.example.yaml", { receivers: [], web })).filter(({ what }) => what === "page");

test("rules that nobody may save are a concern, and rules that an admin may save are not", async () => {
  expect(await found(WEB)).toEqual([
    expect.objectContaining({ found: expect.stringContaining("without web.login nobody is an admin") }),
  ]);
  expect(await found({ ...WEB, ...login("bob") })).toEqual([
    expect.objectContaining({ found: expect.stringContaining("bob, the login, is not among web.admins") }),
  ]);
  expect(await found({ ...WEB, ...login("ann") })).toEqual([]);
  expect(await found({ ...WEB, editRules: false })).toEqual([]);
});

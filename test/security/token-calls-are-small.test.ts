import { afterAll, beforeAll, expect, it } from "vitest";
import { type Fixture, startFixture } from "../listening-api/fixture.ts";
import { send } from "../listening-api/send.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const strangers = (n: number) =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`stranger${i}`, "x"]));

it.each(["application/json", "application/x-www-form-urlencoded"])(
  "a token call of more than 4 kB of %s is refused unread",
  async (type) => {
    const isJson = type === "application/json";
    const payload = isJson ? JSON.stringify(strangers(400)) : new URLSearchParams(strangers(400)).toString();
    expect(payload.length).toBeGreaterThan(4_096);
    const url = "/oauth/token";
    const answer = await send(fixture.api, {
      method: "POST",
      url,
      headers: { "content-type": type },
      payload,
    });
    expect(answer.status).toBe(413);
  },
);

it("a login fits, with the longest name and password that people have", async () => {
  const fields = { grant_type: "api-password", client_id: "earshot-api-client" };
  const body = { ...fields, username: "a".repeat(1_000), password: "b".repeat(1_000) };
  const answer = await send(fixture.api, { method: "POST", url: "/oauth/token", payload: body });
  expect(answer).toMatchObject({ status: 401, body: { error: "invalid_grant" } });
});

it("names at most twenty unknown parameters, before a login and after it", async () => {
  const few = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`s${i}`, "x"]));
  const before = await send(fixture.api, { method: "POST", url: "/oauth/token", payload: few });
  expect(before.status).toBe(400);
  const description = String(before.body && (before.body as { error_description: string }).error_description);
  expect(description.match(/is not a parameter/g)).toHaveLength(20);
  expect(description).toContain("130 more names are not parameters of this call.");

  const after = await fixture.get("/me", Object.entries(few));
  expect(after.body.errors).toHaveLength(21);
});

it.each(["[", '{"":'])("a body that is nested 20,000 deep is refused as any other: %s", async (opening) => {
  const closing = opening === "[" ? "]" : "}";
  const nested = `${opening.repeat(20_000)}${opening === "[" ? "" : 1}${closing.repeat(20_000)}`;
  const headers = { authorization: `bearer ${fixture.token}`, "content-type": "application/json" };
  for (const name of ["tags", "categories", "queries", "group/site", "group/author", "group/location"]) {
    const url = `/projects/${fixture.account.projectId}/${name}`;
    const payload = `{"name":${nested},"other":${nested}}`;
    const answer = await send(fixture.api, { method: "POST", url, headers, payload });
    expect(answer.status, name).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(4_000);
  }
});

it("names at most twenty unknown fields of a list, and a hundred faults in all", async () => {
  const headers = { authorization: `bearer ${fixture.token}` };
  const url = `/projects/${fixture.account.projectId}/group/location`;
  const fields = await send(fixture.api, { method: "POST", url, headers, payload: strangers(5_000) });
  expect(fields.status).toBe(400);
  expect((fields.body as { errors: unknown[] }).errors.length).toBeLessThanOrEqual(24);
  const locations = Array.from({ length: 1_000 }, () => ({ id: "nowhere" }));
  const many = await send(fixture.api, { method: "POST", url, headers, payload: { name: "x", locations } });
  expect((many.body as { errors: unknown[] }).errors).toHaveLength(101);
});

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Fixture, logIn, SEED, startFixture } from "../listening-api/fixture.ts";

const NAME = "eve@evil.example";
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ ...SEED, user: { ...SEED.user, username: NAME } });
});
afterAll(() => fixture.stop());

it("spellings that are one login to the database share the limit of wrong tries", async () => {
  const spellings = [
    "eve@evil.example",
    "EVE@EVIL.EXAMPLE",
    "eve@ev\u0130l.example",
    "Eve@Ev\u0130l.Example",
  ];
  for (let i = 0; i < 10; i++) {
    const username = spellings[i % spellings.length] ?? "";
    expect((await logIn(fixture.api, { username, password: "wrong" })).status).toBe(401);
  }
  for (const username of spellings) {
    const { rows } = await fixture.database.pool.query("select lower($1) = lower($2) as same", [
      username,
      NAME,
    ]);
    expect(rows[0]?.same).toBe(true);
    const right = await logIn(fixture.api, { username, password: SEED.user.password });
    expect(right.status, username).toBe(429);
  }
});

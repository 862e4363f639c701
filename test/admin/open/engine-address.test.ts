import { describe, expect, test } from "vitest";
import { checkDatabase } from "../../../src/admin/doctor/check-database.ts";
import { checkRedis } from "../../../src/admin/doctor/check-redis.ts";
import { addressFault, withoutAddress } from "../../../src/admin/open/engine-address.ts";

describe("an address that can be one is taken", () => {
  test.each([
    ["DATABASE_URL", "postgres://ann:a%25%40b@db.example:5432/earshot?sslmode=require"],
    ["DATABASE_URL", "postgresql:///earshot?host=/var/run/postgresql"],
    ["REDIS_URL", "rediss://:secret@redis.example:6380/2"],
    ["REDIS_URL", "/run/redis.sock"],
  ] as const)("%s %s", (variable, address) => {
    expect(addressFault(variable, address)).toBeNull();
  });
});

describe("one that cannot is refused with what to write instead, and without its password", () => {
  test.each([
    ["DATABASE_URL", "db.example", /no address of a PostgreSQL/, /looks like postgres:/],
    ["DATABASE_URL", "postgres://ann:50%off@db.example/earshot", /PostgreSQL/, /its password has a % .*%25/],
    ["DATABASE_URL", "postgres://ann:x@db.example/ear%shot", /PostgreSQL/, /its database name has a %/],
    ["DATABASE_URL", "postgres://ann:hush#off@db.example/earshot", /PostgreSQL/, /# as %23/],
    ["REDIS_URL", "redis://ann:50%off@redis.example", /no address of a Redis/, /its password has a %/],
    ["REDIS_URL", "redis.example:6379", /no address of a Redis/, /looks like redis:/],
  ] as const)("%s %s", async (variable, address, message, hint) => {
    const fault = addressFault(variable, address);
    expect(fault?.message).toMatch(message);
    expect(fault?.hint).toMatch(hint);
    expect(JSON.stringify(fault)).not.toMatch(/50|hush/);
    const [finding] = variable === "DATABASE_URL" ? await checkDatabase(address) : await checkRedis(address);
    expect(finding).toMatchObject({ state: "fail", found: fault?.message });
  });
});

test("what a driver says of an address that it cannot read has no secret", () => {
  const address = "postgres://ann:50%off@db.example/earshot";
  expect(withoutAddress(`50%off of ${address}`, address)).toBe("[secret] of [address]");
});

import { expect, test } from "vitest";
import { type AskedToForget, askedHash } from "../../../src/monitor/model/forget-request.ts";

const SECRET = Buffer.from("of this installation");
const hash = (asked: Partial<AskedToForget>, secret = SECRET) =>
  askedHash(secret, { what: "author", value: "ann", source: null, ...asked }).toString("hex");

test("a handle is asked for with or without its sign, and an address as it is", () => {
  expect(hash({ value: "@ann" })).toBe(hash({}));
  expect(hash({ what: "url", value: "@ann" })).not.toBe(hash({ what: "url", value: "ann" }));
});

test("another request has another hash, and so has another installation", () => {
  const others = [{}, { value: "bob" }, { what: "url" as const }, { source: "acme.example" }].map((one) =>
    hash(one),
  );
  expect(new Set([...others, hash({}, Buffer.from("of another"))]).size).toBe(5);
  expect(hash({})).toMatch(/^[0-9a-f]{64}$/);
});

import type { LookupAddress, LookupOptions } from "node:dns";
import { afterAll, beforeEach, expect, test } from "vitest";
import { PrivateAddressError, publicLookup } from "../../src/lib/public-agent.ts";
import { startDns } from "../fakes/dns.ts";

const dns = await startDns();
afterAll(() => dns.close());
beforeEach(() => dns.names.clear());

function look(name: string, options: LookupOptions): Promise<string | LookupAddress[]> {
  return new Promise((resolve, reject) => {
    publicLookup(name, options, (error, found) => (error === null ? resolve(found) : reject(error)));
  });
}

// Node tries the addresses of a name one after the other: each of them may be the one that is connected to.
test.each([
  [["93.184.216.34", "10.0.0.7"]],
  [["10.0.0.7", "93.184.216.34"]],
  [["93.184.216.34", "93.184.216.35", "127.0.0.1", "93.184.216.36"]],
  [["2606:4700::1111", "127.0.0.1"]],
  [["2606:4700::1111", "::1"]],
])("a name with the addresses %j is refused, whatever their order", async (addresses) => {
  dns.names.set("several.test", () => addresses);
  await expect(look("several.test", { all: true })).rejects.toThrow(PrivateAddressError);
  await expect(look("several.test", {})).rejects.toThrow(PrivateAddressError);
});

test("a name whose addresses are all public leads to each of them", async () => {
  dns.names.set("outside.test", () => ["93.184.216.34", "2606:4700::1111", "93.184.216.35"]);
  const all = ["2606:4700::1111", "93.184.216.34", "93.184.216.35"];
  const found = await look("outside.test", { all: true });
  expect(Array.isArray(found) && found.map(({ address }) => address)).toEqual(all);
  await expect(look("outside.test", {})).resolves.toBe(all[0]);
});

test("a name without an address fails as it does everywhere", async () => {
  await expect(look("nobody.test", { all: true })).rejects.toThrow("ENOTFOUND");
});

import { BlockList, isIPv6 } from "node:net";
import type { FastifyRequest } from "fastify";
import { nameKey, type Stores, UserName, type UserRole } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import type { ConsoleSettings } from "../common/settings.ts";
import type { User, Users } from "./users.ts";

type ProxyAnswer =
  /** The proxy named nobody: a login as without a proxy. */
  | { readonly outcome: "NoName" }
  | { readonly outcome: "Named"; readonly user: User }
  | { readonly outcome: "Refused"; readonly because: string };

/** Who a proxy says that somebody is. */
export interface ProxyUsers {
  userOf(request: FastifyRequest): Promise<ProxyAnswer>;
}

/** Believes a header of the addresses in `from` alone, by the other end of the connection: no header can change that. */
export function createProxyUsers(
  { header, from, role }: NonNullable<ConsoleSettings["proxy"]>,
  {
    users,
    stored,
    wall,
  }: { readonly users: Users; readonly stored: Pick<Stores, "users">; readonly wall: Clock },
): ProxyUsers {
  const trusted = new BlockList();
  for (const one of from) {
    const [address = "", bits] = one.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  const name = header.toLowerCase();
  return {
    userOf: async (request) => {
      // Several of one name are told apart in the raw headers alone.
      const { rawHeaders, socket } = request.raw;
      const values = rawHeaders.filter(
        (_, index) => rawHeaders[index - 1]?.toLowerCase() === name && index % 2 === 1,
      );
      if (values.length === 0) return { outcome: "NoName" };
      if (!isTrusted(socket.remoteAddress ?? ""))
        return {
          outcome: "Refused",
          because: `the header ${header} comes from an address that is not in web.proxy.from`,
        };
      const read = values.length === 1 ? UserName.safeParse(decoded(values[0] ?? "")) : null;
      if (read?.success !== true)
        return { outcome: "Refused", because: `the header ${header} has no name of a user in it` };
      const known = await users.find(read.data);
      if (known !== null) return { outcome: "Named", user: known };
      if (role === undefined || (await stored.users.find(read.data)) !== null)
        return { outcome: "Refused", because: `there is no user ${read.data}` };
      const added = await add(read.data, role);
      return added === null
        ? { outcome: "Refused", because: `there is no user ${read.data}` }
        : { outcome: "Named", user: added };
    },
  };

  async function add(name: string, role: UserRole): Promise<User | null> {
    const now = wall.now();
    await stored.users.add({
      ...{ id: uuid7(now), name, role, email: null, passwordHash: null },
      ...{ openId: { issuer: "web.proxy", subject: nameKey(name) }, createdAt: now, createdBy: "the proxy" },
    });
    return users.find(name);
  }
}

/** Headers are bytes; proxies write names in UTF-8. */
function decoded(value: string): string {
  return Buffer.from(value, "latin1").toString("utf8");
}

import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent } from "undici";

/** Thrown when an address in Earshot's own network would be called. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
  readonly code = "EPRIVATE";
}

/**
 * Connections to addresses from the configuration. Each address is checked when it is connected to, so that a name
 * cannot have one address at the check and another at the use.
 */
export function createAgent(url: string, allowPrivate: boolean): Agent {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (allowPrivate) return new Agent();
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw refusal(host);
  return new Agent({ connect: { lookup: publicLookup } });
}

/** Resolves names to addresses of the public internet; any other result is refused. */
export const publicLookup: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, "", 0);
    const bad = addresses.find(({ address }) => isPrivateAddress(address));
    const [first] = addresses;
    if (bad !== undefined || first === undefined) return callback(refusal(host), "", 0);
    if (options.all === true) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};

function refusal(host: string): PrivateAddressError {
  return new PrivateAddressError(`${host} is an address of a private network`);
}

/** Whether an address itself says that it leads inside: an IP address, or `localhost`. Other names are looked up later. */
export function isPrivateUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  const isIp = isIP(host) !== 0;
  return host === "localhost" || host.endsWith(".localhost") || (isIp && isPrivateAddress(host));
}

/**
 * Whether an IP address leads to this machine, a local network, or anything else that is not the public internet. Text
 * that is no address counts as private.
 */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  // The library also reads `10.1` and `0x7f000001` as addresses, which `isIP` does not.
  if (isIP(bare) === 0) return true;
  const read = ipaddr.parse(bare);
  if (read instanceof ipaddr.IPv4) return read.range() !== "unicast";
  const inside = embeddedIpv4(read as ipaddr.IPv6);
  if (inside !== null) return inside.range() !== "unicast";
  // The library calls everything unreserved "unicast"; only this eighth of the addresses is assigned.
  return read.range() !== "unicast" || !read.match(GIVEN_OUT);
}

const GIVEN_OUT = ipaddr.IPv6.parseCIDR("2000::/3");

/** The IPv4 address that packets to an IPv6 one finally go to: mapped, translated (NAT64), 6to4. */
function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === "6to4") return new ipaddr.IPv4(bytes.slice(2, 6));
  // 64:ff9b:1::/48 is for translators inside one network (RFC 8215), whose own addresses follow.
  const isTranslated = range === "rfc6052" && bytes[5] === 0;
  return isTranslated || range === "ipv4Mapped" ? new ipaddr.IPv4(bytes.slice(12)) : null;
}

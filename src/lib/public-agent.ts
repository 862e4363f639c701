import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent } from "undici";
import { isPrivateAddress } from "./private-address.ts";

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

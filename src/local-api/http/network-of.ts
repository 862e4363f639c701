import { isIPv6 } from "node:net";

/**
 * The key under which attempts count together: an IPv4 address, or the first half of an IPv6 address, because a single
 * customer usually has all of the second half.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(missing).fill("0"), ...after];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function groupsOf(text: string): string[] {
  return text.split(":").flatMap((group) => (group === "" ? [] : [group.replace(/^0+(?=.)/, "")]));
}

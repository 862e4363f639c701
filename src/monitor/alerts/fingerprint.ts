import { createHash } from "node:crypto";

/**
 * Identity of an alert while it is open: its rule and the labels that it is grouped by. 22 characters, safe in keys,
 * addresses and job ids. The order of the labels does not matter, every byte of their values does.
 *
 * Label values are hostile (an author may be called `a","b`), so they are encoded as JSON before hashing: its quoting
 * keeps any two different sets of labels apart, including lone surrogates, which plain UTF-8 would merge. With 128 bits
 * of SHA-256 nobody can choose an account name whose alert gets the fingerprint of another one.
 */
export function fingerprint(rule: string, labels: Readonly<Record<string, string>>): string {
  const encoded = JSON.stringify([rule, Object.entries(labels).sort(byName)]);
  return createHash("sha256").update(encoded).digest().subarray(0, 16).toString("base64url");
}

/** By code unit and not by language: the same on every machine. No two labels have one name. */
function byName([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1;
}

import { createHash } from "node:crypto";

/**
 * `<hash@domain>`: the same for the same thing on every try, so that a mail that was sent twice because its first
 * outcome was unknown is one mail for clients and servers that look. Ids of ours do not leave the house in clear.
 */
export function messageId(id: string, domain: string): string {
  const hash = createHash("sha256").update(`notification ${id}`).digest("hex").slice(0, 32);
  return `<${hash}@${domain}>`;
}

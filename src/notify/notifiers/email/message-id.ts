import { createHash } from "node:crypto";

/**
 * `<hash@domain>`: the same for the same notification on every try. A mail sent twice, because the outcome of the first
 * try was unknown, is one mail for clients and servers that check. The hash keeps our ids private.
 */
export function messageId(id: string, domain: string): string {
  const hash = createHash("sha256").update(`notification ${id}`).digest("hex").slice(0, 32);
  return `<${hash}@${domain}>`;
}

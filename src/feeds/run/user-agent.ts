import type { ListenConfig } from "./listen-config.ts";

const VERSION = "0.1";

/** Names the program and whom to write to, as owners of servers ask. */
export function userAgent({ contact }: Pick<ListenConfig, "contact">): string {
  const about = contact === undefined ? "no contact given" : `contact: ${contact}`;
  return `Earshot/${VERSION} (open mention monitor; ${about})`;
}

import { readFileSync } from "node:fs";

/** What a process of all roles opens at most, besides the connections of those who call its servers. */
export const OWN_DESCRIPTORS = {
  /** All pools of PostgreSQL, the LISTEN connections of the queue included. */
  database: 60,
  /** Receivers, the source, the queue in Redis: both ends, where the Listening API is ours. */
  calls: 60,
  /** Fetches, their second looks at pages, and streams. */
  feeds: 40,
  /** The local Slack and mailbox, which have limits of their own. */
  localInbox: 150,
  /** Files, threads, the runtime itself. */
  files: 40,
};

/** Where a system does not say: what most give a process. */
const USUAL_LIMIT = 1_024;
/** With fewer a server is of no use. */
const FEWEST = 50;

/** The descriptors that this process may have open at a time. */
function descriptorLimit(): number {
  let limits = "";
  try {
    limits = readFileSync("/proc/self/limits", "utf8");
  } catch {
    // Only Linux has this file.
  }
  return readDescriptorLimit(limits);
}

/** From the text of Linux. The runtime has raised the first number as far as it may. */
export function readDescriptorLimit(limits: string): number {
  const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (soft === "unlimited") return Number.MAX_SAFE_INTEGER;
  return soft === undefined ? USUAL_LIMIT : Number(soft);
}

/**
 * How many connections a server may hold: its share of the descriptors that the process does not need itself, and no
 * more than `most`. With all of them taken, the process still reaches its database, queues and receivers.
 */
export function connectionLimit(
  { most, share }: { readonly most: number; readonly share: number },
  limit = descriptorLimit(),
): number {
  const own = Object.values(OWN_DESCRIPTORS).reduce((sum, n) => sum + n, 0);
  return Math.max(FEWEST, Math.min(most, Math.floor((limit - own) * share)));
}

import type { Handlers } from "./queue/worker.ts";

/** What a process may do. Each can run in as many processes as one likes. */
export const ROLES = ["poll", "tick", "deliver", "digest", "sweep"] as const;
export type Role = (typeof ROLES)[number];

/**
 * Jobs at once in one process. Polls are few and long, deliveries many and short. While one delivery builds its message,
 * others wait with the note that theirs was sent, and that gap must be short: a mail whose process dies in it is sent
 * again. The engine may fill these slots while jobs that were handed over still run (`queue/hand-overs.ts`).
 */
export const CONCURRENCY = { poll: 4, "poll-feeds": 2, tick: 2, deliver: 5, digest: 1, sweep: 1 };

const JOBS_OF: Readonly<Record<Role, readonly (keyof Handlers)[]>> = {
  poll: ["poll-query", "poll-feeds", "poll-together"],
  tick: ["close-windows", "reconsider-alerts"],
  deliver: ["deliver", "update-message", "correct-message"],
  digest: ["build-digest", "count-mentions"],
  sweep: ["sweep"],
};

/** The handlers of the jobs that these roles work on. */
export function handlersOf(roles: readonly Role[], handlers: Required<Handlers>): Handlers {
  const names = roles.flatMap((role) => JOBS_OF[role]);
  return Object.fromEntries(names.map((name) => [name, handlers[name]]));
}

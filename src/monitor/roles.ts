import type { Handlers } from "./queue/worker.ts";

/** What a process may do. Each can run in as many processes as one likes. */
export const ROLES = ["poll", "tick", "deliver", "digest", "sweep"] as const;
export type Role = (typeof ROLES)[number];

/**
 * Jobs at once in one process. Polls are few and long, deliveries many and short. While one delivery builds its message,
 * others wait with the note that theirs was sent, and that gap must be short: a mail whose process dies in it is sent
 * again.
 */
export const CONCURRENCY = { poll: 4, "poll-feeds": 2, tick: 2, deliver: 5, digest: 1, sweep: 1 };

/** The handlers of the jobs that these roles work on. */
export function handlersOf(roles: readonly Role[], handlers: Required<Handlers>): Handlers {
  const {
    "poll-query": poll,
    "poll-feeds": feeds,
    "poll-together": together,
    "close-windows": close,
    "reconsider-alerts": reconsider,
    deliver,
    "update-message": updateMessage,
    "correct-message": correctMessage,
    "build-digest": digest,
    sweep,
  } = handlers;
  return {
    ...(roles.includes("poll") ? { "poll-query": poll, "poll-feeds": feeds, "poll-together": together } : {}),
    ...(roles.includes("tick") ? { "close-windows": close, "reconsider-alerts": reconsider } : {}),
    ...(roles.includes("deliver")
      ? { deliver, "update-message": updateMessage, "correct-message": correctMessage }
      : {}),
    ...(roles.includes("digest") ? { "build-digest": digest } : {}),
    ...(roles.includes("sweep") ? { sweep } : {}),
  };
}

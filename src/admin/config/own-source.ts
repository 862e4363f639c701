import type { ListenConfig } from "#feeds";
import { type Source, SourceConfig } from "#monitor";

/** The account, project and login of our own Listening API, when it is fed by public feeds. */
export const LISTENING = {
  client: "Listening",
  project: "Listening",
  username: "monitor@listening.local",
  clientId: "earshot-api-client",
};

/** Where it is usually found: the same after a restart, so that what is known of this source stays good. */
export const LISTENING_PORT = 8087;

/**
 * The source that a monitor of public feeds polls: the queries that are configured now. The password is made when the
 * API opens.
 */
export function ownSource({ queries, pollEvery }: Pick<ListenConfig, "queries" | "pollEvery">): Source {
  return {
    name: "feeds",
    ...SourceConfig.parse({
      baseUrl: `http://127.0.0.1:${LISTENING_PORT}`,
      username: LISTENING.username,
      password: "made when it opens",
      clientId: LISTENING.clientId,
      projects: [LISTENING.project],
      queries: queries.map(({ name }) => name),
      updatesEvery: "1m",
      // Its writers take turns, so that nothing appears behind a watermark. Each announcement starts a poll, which reads
      // this much again.
      overlap: "5s",
    }),
    pollEvery,
  };
}

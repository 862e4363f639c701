import { isDeepStrictEqual } from "node:util";
import { SECOND } from "../../lib/instant.ts";
import type { InteractionDeps, InteractionEndpoint, Interactions, ListenDeps } from "./define-notifier.ts";
import { definitionOf, type NotifierConfig, notifiers } from "./notifiers.ts";

/** What the console has to open so that vendors can post clicks on the buttons of these receivers. */
export function openInteractionEndpoints(
  configs: readonly NotifierConfig[],
  deps: InteractionDeps,
): readonly InteractionEndpoint[] {
  return byKind(configs).flatMap(({ interactions, ofKind }) => interactions.endpoint(ofKind, deps) ?? []);
}

/**
 * Receives clicks over connections of our own. A configuration with the same connections keeps them; with others, the
 * new ones are opened before the old ones are closed.
 */
export function createInteractionSockets(deps: ListenDeps): {
  use(configs: readonly NotifierConfig[]): void;
  close(): Promise<void>;
} {
  let open = { connections: [] as readonly unknown[], close: async () => {} };
  return {
    use: (configs) => {
      const kinds = byKind(configs);
      const connections = kinds.flatMap(({ interactions, ofKind }) => interactions.connections(ofKind));
      if (isDeepStrictEqual(connections, open.connections)) return;
      const before = open;
      const ending = new AbortController();
      const { signal } = ending;
      const listening = kinds.map(({ interactions, ofKind }) =>
        interactions.listen(ofKind, { ...deps, signal }),
      );
      const closeBefore = setTimeout(() => before.close(), CONNECTED_MS);
      const close = async () => {
        clearTimeout(closeBefore);
        ending.abort(new Error("the sockets are closed"));
        await Promise.all([...listening, before.close()]);
      };
      open = { connections, close };
    },
    close: () => open.close(),
  };
}

/** By then a new socket is connected. */
const CONNECTED_MS = 10 * SECOND;

/** The receivers of each kind that has buttons. */
function byKind(configs: readonly NotifierConfig[]): readonly {
  readonly interactions: Interactions<unknown>;
  readonly ofKind: readonly NotifierConfig[];
}[] {
  return notifiers.flatMap((notifier) => {
    const { kind, interactions } = definitionOf(notifier);
    const ofKind = configs.filter((config) => config.kind === kind);
    return interactions === undefined || ofKind.length === 0 ? [] : [{ interactions, ofKind }];
  });
}

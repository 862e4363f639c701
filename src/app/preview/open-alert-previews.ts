import { resolve } from "node:path";
import type { Surroundings } from "../../config.ts";
import { openTogether } from "../../lib/closing.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../log.ts";
import type { Rule } from "../../rules/rule.ts";
import { createConsoleStore } from "../../store/console.ts";
import { openDatabase } from "../../store/database.ts";
import { startEmbeddedPostgres } from "../../store/embedded.ts";
import { migrate } from "../../store/migrate.ts";
import { createStores } from "../../store/stores.ts";
import type { Renderer } from "../../templates/create-renderer.ts";
import { createContentOfAlert } from "./content-of-alert.ts";
import { createPreviews, type Previews } from "./create-previews.ts";

/** Previews of alerts that are stored, for one command: beside a running Earshot, or without one. */
export async function openAlertPreviews(options: {
  readonly surroundings: Pick<Surroundings, "databaseUrl" | "home">;
  readonly renderer: Renderer;
  readonly rules: readonly Rule[];
  readonly timezone: string;
  readonly consoleUrl: string | null;
  readonly log: Logger;
}): Promise<{ readonly previews: Previews; close(): Promise<void> }> {
  const { surroundings, renderer, rules, timezone, consoleUrl, log } = options;
  return openTogether(async (closing) => {
    const dataDir = resolve(surroundings.home, "postgres");
    const embedded =
      surroundings.databaseUrl === null
        ? await startEmbeddedPostgres({ dataDir, log, maxConnections: 200, share: true })
        : null;
    if (embedded !== null) closing.add(embedded.stop);
    const url = surroundings.databaseUrl ?? embedded?.url ?? "";
    await migrate(url);
    const database = openDatabase({
      url,
      connections: 2,
      onError: (error) => log.warn({ error: describeError(error) }, "a connection to the database broke"),
    });
    closing.add(database.close);
    const contentOf = createContentOfAlert({
      facts: createConsoleStore(database.db),
      stores: createStores(database.db),
      rulesFor: (query) => rules.filter((rule) => rule.appliesTo(query)),
      timezone,
      consoleUrl: () => consoleUrl,
    });
    return { previews: createPreviews({ renderer, contentOf }), close: closing.close };
  });
}

import { createDatabase, type DatabasePool } from "#listening-api";
import type { Clock } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import type { Logger } from "../../lib/log.ts";
import { type MeantQuery, prepareQueries } from "./enrich.ts";
import type { EnrichConfig } from "./enrich-config.ts";
import { createEnrichment } from "./run-enrichment.ts";

/** Asks the endpoints, if there are any, about mentions that wait. */
export async function startEnrichment(
  parts: {
    readonly config: EnrichConfig;
    readonly queries: readonly MeantQuery[];
    readonly pool: DatabasePool;
    readonly clock: Clock;
    readonly log: Logger;
    /** The newest mentions of a query that people called not relevant. */
    readonly notRelevant: NonNullable<Parameters<typeof createEnrichment>[0]["notRelevant"]>;
  },
  closing: Closing,
): Promise<void> {
  await prepareQueries(createDatabase(parts.pool), parts.config, parts.queries);
  const enrichment = createEnrichment(parts);
  closing.add(enrichment.stop);
  enrichment.start();
}

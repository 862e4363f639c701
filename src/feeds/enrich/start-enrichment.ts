import { createDatabase, type DatabasePool } from "#listening-api";
import type { Clock } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import type { Logger } from "../../lib/log.ts";
import { type MeantQuery, prepareQueries } from "./enrich.ts";
import type { EnrichConfig } from "./enrich-config.ts";
import { createEnrichment } from "./run-enrichment.ts";

/** The newest mentions of a query of which people said whether they are relevant. */
export type ReadJudgedMentions = (
  query: { readonly id: number; readonly name: string },
  which: { readonly relevant?: boolean; readonly most: number },
) => ReturnType<NonNullable<EnrichmentOptions["judged"]>>;

type EnrichmentOptions = Parameters<typeof createEnrichment>[0];

/** Asks the endpoints, if there are any, about mentions that wait. */
export async function startEnrichment(
  parts: {
    readonly config: EnrichConfig;
    readonly queries: readonly MeantQuery[];
    readonly pool: DatabasePool;
    readonly clock: Clock;
    readonly log: Logger;
    readonly judged: ReadJudgedMentions;
  },
  closing: Closing,
): Promise<void> {
  await prepareQueries(createDatabase(parts.pool), parts.config, parts.queries);
  const { judged } = parts;
  const enrichment = createEnrichment({
    ...parts,
    judged: (query, most) => judged(query, { most }),
    notRelevant: async (query, most) => {
      const found = await judged(query, { relevant: false, most });
      return found.map(({ text }) => text);
    },
  });
  closing.add(enrichment.stop);
  enrichment.start();
}

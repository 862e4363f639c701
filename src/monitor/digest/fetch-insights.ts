import { describeError } from "../../lib/errors.ts";
import { SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import type { SourceClient } from "../source/source-client.ts";
import { type FetchInsights, type Insights, joinInsights } from "./insights.ts";

/** How many to fetch; a digest shows fewer. */
const MOST = 50;
const PATIENCE_MS = 20 * SECOND;

/**
 * Top authors and hashtags as counted by the source, in calls of low priority. If the source does not have them, has no
 * call left, or lists only the first of its authors, they are counted from the stored mentions.
 */
export function createFetchInsights(
  clientOf: (projectId: string) => Pick<SourceClient, "hashtags" | "extensions">,
  log: Logger,
  stopping: AbortSignal,
): FetchInsights {
  return async (queries, { from, to }) => {
    const projects = new Set(queries.map(({ projectId }) => projectId));
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(PATIENCE_MS)]);
    const insights: Insights[] = [];
    try {
      for (const projectId of projects) {
        const source = clientOf(projectId);
        // The source includes the end of a range; a period does not.
        const scope = {
          projectId,
          queryIds: queries.filter((one) => one.projectId === projectId).map(({ queryId }) => queryId),
          startDate: from,
          endDate: to - SECOND,
        };
        const hashtags = await source.hashtags(scope, { signal });
        const authors = await source.extensions.topAuthors({ ...scope, limit: MOST }, { signal });
        // An author has a row for each site. Of a list that is cut off, the sum of the rows is no number of anybody.
        if (authors.length >= MOST) return null;
        insights.push({
          hashtags: hashtags.flatMap(({ name, volume }) =>
            volume === null ? [] : [{ name: name.replace(/^#/, ""), mentions: volume }],
          ),
          authors: authors.flatMap(({ name, volume, negative }) =>
            name === null || volume === null ? [] : [{ name, mentions: volume, negative }],
          ),
        });
      }
    } catch (error) {
      log.info(
        { reason: describeError(error) },
        "the source does not say who spoke most; counted over what is stored",
      );
      return null;
    }
    return joinInsights(insights);
  };
}

import { z } from "zod";
import { MINUTE } from "../../../lib/instant.ts";
import { defineCall } from "../define-call.ts";
import { WireId } from "../wire-values.ts";

export type SourceClientRecord = z.output<typeof SourceClientRecord>;
/** An answer without an id is no record of an account. */
const SourceClientRecord = z
  .object({ id: WireId, tags: z.record(z.string(), z.unknown()).catch({}) })
  .transform(({ tags }) => ({ rateLimit: toRateLimit(tags) }));

/** The highest values that a header and our tables can hold. */
const MOST = 999_999_999;

/** `ratelimit.limit` calls in any rolling window of `ratelimit.period` minutes, for all users of the client. */
function toRateLimit(tags: Record<string, unknown>): { limit: number; periodMs: number } | null {
  const limit = Math.floor(Number(tags["ratelimit.limit"]));
  const periodMs = Math.round(Number(tags["ratelimit.period"]) * MINUTE);
  const isLimit = limit >= 1 && limit <= MOST && periodMs >= 1 && periodMs <= MOST;
  return isLimit ? { limit, periodMs } : null;
}

export const clientRecord = defineCall({
  name: "client",
  read: (json): SourceClientRecord => SourceClientRecord.parse(json),
});

import { z } from "zod";
import { MINUTE } from "../../lib/instant.ts";
import { defineCall } from "../define-call.ts";
import { WireId, WireText } from "../list-envelope.ts";

export type SourceClientRecord = z.output<typeof SourceClientRecord>;
export const SourceClientRecord = z
  .object({
    id: WireId,
    name: WireText,
    tags: z.record(z.string(), z.unknown()).catch({}),
  })
  .transform(({ id, name, tags }) => ({ clientId: id, name, rateLimit: toRateLimit(tags) }));

/** `ratelimit.limit` calls in any rolling window of `ratelimit.period` minutes, for all users of the client. */
function toRateLimit(tags: Record<string, unknown>): { limit: number; periodMs: number } | null {
  const limit = Number(tags["ratelimit.limit"]);
  const minutes = Number(tags["ratelimit.period"]);
  return limit > 0 && minutes > 0 ? { limit, periodMs: minutes * MINUTE } : null;
}

export const clientRecord = defineCall({
  name: "client",
  path: () => "/client",
  read: (json): SourceClientRecord => SourceClientRecord.parse(json),
});

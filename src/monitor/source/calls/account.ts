import { z } from "zod";
import { MINUTE } from "../../../lib/instant.ts";
import { defineCall } from "../define-call.ts";
import { WireId, WireInstant, WireNumber, WireOptionalId, WireText } from "../wire-values.ts";

export type SourceClientRecord = z.output<typeof SourceClientRecord>;
export const SourceClientRecord = z
  .object({
    id: WireId,
    name: WireText,
    parentId: WireOptionalId,
    startDate: WireInstant,
    expiryDate: WireInstant,
    owner: WireText,
    maxUsers: WireNumber,
    maximumSubscribedBrands: WireNumber,
    mentionArchiveSize: WireNumber,
    userInactivityTimeoutMinutes: WireNumber,
    tags: z.record(z.string(), z.unknown()).catch({}),
  })
  .transform(({ id, parentId, startDate, expiryDate, tags, ...rest }) => ({
    clientId: id,
    // The wire says -1 for no parent.
    parentId: parentId === "-1" ? null : parentId,
    startsAt: startDate,
    expiresAt: expiryDate,
    ...rest,
    tags: textsIn(tags),
    rateLimit: toRateLimit(tags),
  }));

/** The highest values that a header and our tables can hold. */
const MOST = 999_999_999;

function textsIn(tags: Record<string, unknown>): Readonly<Record<string, string>> {
  const texts = Object.entries(tags).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(texts as [string, string][]);
}

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

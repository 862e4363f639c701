/** What a client may call: so many calls in any rolling time of so many minutes. */
export interface RateLimit {
  readonly limit: number;
  readonly minutes: number;
}

/** From the very tags that `/client` shows. A client without them has no limit. */
export function rateLimitOf(tags: Readonly<Record<string, string>>): RateLimit | undefined {
  const limit = wholeNumber(tags["ratelimit.limit"]);
  if (limit === undefined) return undefined;
  return { limit, minutes: wholeNumber(tags["ratelimit.period"]) || DEFAULT_MINUTES };
}

/** What every answer to a client with a limit carries. */
export function rateLimitHeaders({ limit, minutes }: RateLimit, used: number): Record<string, string> {
  return { "x-rate-limit": `${limit}/${minutes}m`, "x-rate-limit-used": String(used) };
}

const DEFAULT_MINUTES = 10;

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

import { randomBytes } from "node:crypto";
import { type AskedToForget, askedHash, FORGET_SECRET } from "../model/forget-request.ts";
import { eventAt, type Mention } from "../model/mention.ts";
import type { ForgetRequest } from "../store/forgotten.ts";
import type { Facts } from "../store/stores.ts";
import type { MentionToForget } from "./forget-mentions.ts";

/** The secret of this installation; of the first request, a new one. */
export async function forgetSecret(facts: Pick<Facts, "settings">): Promise<Buffer> {
  const stored = await facts.settings.getOrPut(FORGET_SECRET, randomBytes(32).toString("base64url"));
  return Buffer.from(String(stored), "base64url");
}

/** Of these mentions, those from before a request that asked for them. A person's newer ones are theirs to publish. */
export async function askedToForget(
  facts: Pick<Facts, "settings">,
  requests: readonly Pick<ForgetRequest, "at" | "asked" | "ofOneSource">[],
  mentions: readonly Mention[],
): Promise<MentionToForget[]> {
  const oldest = Math.min(...mentions.map(eventAt));
  const open = requests.filter(({ at }) => at >= oldest);
  if (open.length === 0) return [];
  const secret = await forgetSecret(facts);
  const until = new Map<string, number>();
  for (const { asked, at } of open) {
    const hash = asked.toString("hex");
    until.set(hash, Math.max(at, until.get(hash) ?? at));
  }
  const hasSources = open.some(({ ofOneSource }) => ofOneSource);
  return mentions
    .filter((mention) => {
      const at = eventAt(mention);
      return keysOf(mention, hasSources).some(
        (key) => (until.get(askedHash(secret, key).toString("hex")) ?? Number.NEGATIVE_INFINITY) >= at,
      );
    })
    .map((mention) => ({ resourceId: mention.resourceId, eventAt: eventAt(mention) }));
}

/** Everything by which a request may mean the mention. */
function keysOf(mention: Mention, hasSources: boolean): AskedToForget[] {
  const { author, authorName, url, repostOf, domain, pageType } = mention;
  const sources = hasSources
    ? [null, domain, pageType].filter((one, index) => index === 0 || one !== null)
    : [null];
  const named = (what: AskedToForget["what"], values: readonly (string | null)[]) =>
    values.flatMap((value) => (value === null ? [] : sources.map((source) => ({ what, value, source }))));
  return [...named("author", [author, authorName]), ...named("url", [url, repostOf])];
}

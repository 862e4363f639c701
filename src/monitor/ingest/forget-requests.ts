import { createHmac, randomBytes } from "node:crypto";
import { eventAt, type Mention } from "../model/mention.ts";
import type { ForgetRequest } from "../store/forgotten.ts";
import type { Facts } from "../store/stores.ts";
import type { MentionToForget } from "./forget-mentions.ts";

/** What a person asks to forget: all mentions of an author (handle or name, exactly) or of an address. */
export interface AskedToForget {
  readonly what: ForgetRequest["what"];
  readonly value: string;
  /** Only of this domain or page type; null: of all. */
  readonly source: string | null;
}

/** The secret of this installation: without it nobody can guess names from the stored hashes. */
export async function forgetSecret(facts: Pick<Facts, "settings">): Promise<Buffer> {
  const stored = await facts.settings.getOrPut(SECRET, randomBytes(32).toString("base64url"));
  return Buffer.from(String(stored), "base64url");
}

const SECRET = "forget-secret";

export function askedHash(secret: Buffer, { what, value, source }: AskedToForget): Buffer {
  const exact = what === "author" ? withoutAt(value) : value;
  return createHmac("sha256", secret)
    .update(JSON.stringify([what, exact, source]))
    .digest();
}

/** `@ann` and `ann` are one handle. */
export function withoutAt(author: string): string {
  return author.replace(/^@/, "");
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

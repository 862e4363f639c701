import { createHmac, randomBytes } from "node:crypto";
import type { Instant } from "../../lib/instant.ts";
import type { MentionRecord } from "../records/mention-record.ts";
import type { Database } from "../store/database.ts";
import { listForgetRequests, putForgetRequest } from "../store/received-items.ts";
import { settingOr } from "../store/settings.ts";
import { lockWriting } from "../store/write-order.ts";

/** An author (handle or name, without @) or an address; of one domain or page type, or of all (null). */
export interface ForgetTarget {
  readonly what: "author" | "url";
  readonly value: string;
  readonly source: string | null;
}

/**
 * Stores a request to forget all mentions from before `at`, with a hash in place of the name. Transactions that write
 * mentions now end first, so that a later search finds their mentions; all that begin later see the request.
 */
export async function rememberForgotten(db: Database, target: ForgetTarget, at: Instant): Promise<void> {
  const secret = await secretOf(db);
  await db.transaction().execute(async (transaction) => {
    await lockWriting(transaction, "all");
    await putForgetRequest(transaction, hashOf(secret, target), at);
  });
}

/**
 * Whether a mention may not be stored, because somebody asked to forget all from before some later moment. Null: nobody
 * asked for anything.
 */
export async function readForgotten(
  db: Database,
): Promise<
  | ((
      mention: Pick<MentionRecord, "author" | "fullname" | "url" | "originalUrl" | "domain" | "pageType">,
      date: Instant,
    ) => boolean)
  | null
> {
  const requests = await listForgetRequests(db);
  if (requests.length === 0) return null;
  const secret = await secretOf(db);
  const until = new Map(requests.map(({ asked, at }) => [asked.toString("hex"), at]));
  return ({ author, fullname, url, originalUrl, domain, pageType }, date) => {
    const named = (what: ForgetTarget["what"], value: string | null) =>
      value === null ? [] : [{ what, value }];
    const names = [
      ...named("author", author?.replace(/^@/, "") ?? null),
      ...named("author", fullname),
      ...named("url", url),
      ...named("url", originalUrl),
    ];
    return names.some((name) =>
      [null, domain, pageType].some(
        (source) => (until.get(hashOf(secret, { ...name, source }).toString("hex")) ?? 0) >= date,
      ),
    );
  };
}

async function secretOf(db: Database): Promise<string> {
  return String(await settingOr(db, "forget-secret", randomBytes(32).toString("base64url")));
}

function hashOf(secret: string, { what, value, source }: ForgetTarget): Buffer {
  return createHmac("sha256", secret)
    .update(JSON.stringify([what, value, source]))
    .digest();
}

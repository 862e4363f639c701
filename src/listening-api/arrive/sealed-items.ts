import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import { groupBy } from "../../lib/group-by.ts";
import type { Instant } from "../../lib/instant.ts";
import { currentVersion } from "../edit/edit-mention.ts";
import type { MentionRecord } from "../records/mention-record.ts";
import { type CurrentMention, readCurrentMentions } from "../store/current-mentions.ts";
import type { Database } from "../store/database.ts";
import { insertMentions } from "../store/insert-mentions.ts";
import { listCategories, listTags } from "../store/labels.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { listQueries, lockQueries } from "../store/queries.ts";
import {
  findByAuthorOrAddress,
  findHolders,
  lockReceivedQuery,
  receivedQuery,
} from "../store/received-items.ts";
import { type ItemName, namesOf, readSealed, returnItems } from "../store/sealed-items.ts";
import { settingOr } from "../store/settings.ts";
import { beginWriting } from "../store/write-order.ts";
import { type ForgetTarget, readForgotten } from "./forget-requests.ts";

/**
 * Items that were only seen to be gone are sealed: for a week their content is kept where no call, page, search or count
 * finds it. It is encrypted with a secret of these tables, so a reader of a table, or of a copy, sees no text either.
 */
interface SealedItem {
  readonly projectId: number;
  readonly resourceId: string;
  readonly names: readonly ItemName[];
  /** In each query that had it, and in the hidden one. */
  readonly mentions: readonly CurrentMention[];
}

/** Seals what these mentions are now. Gives the sealed content by mention, in base64; nothing is changed. */
export async function sealItems(
  db: Database,
  projectId: number,
  resourceIds: readonly string[],
  at: Instant,
): Promise<ReadonlyMap<string, string>> {
  const sealed = new Map<string, string>();
  if (resourceIds.length === 0) return sealed;
  const hidden = await receivedQuery(db, projectId);
  const queries = (await listQueries(db, projectId)).map(({ id }) => id);
  const holders = await findHolders(db, hidden === null ? queries : [hidden, ...queries], resourceIds);
  const mentions = groupBy(await readCurrentMentions(db, holders, at), ({ resourceId }) => resourceId);
  const names = groupBy(await namesOf(db, projectId, resourceIds), ({ resourceId }) => resourceId);
  const key = await secretOf(db);
  for (const [resourceId, ofOne] of mentions) {
    const content = JSON.stringify({ names: names.get(resourceId) ?? [], mentions: ofOne });
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(`${projectId} ${resourceId}`));
    const bytes = Buffer.concat([cipher.update(deflateRawSync(content)), cipher.final()]);
    sealed.set(resourceId, Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString("base64"));
  }
  return sealed;
}

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The sealed items with these mentions, or all of every project (null). */
export async function* unsealItems(
  db: Database,
  which: { readonly projectId: number; readonly resourceIds: readonly string[] } | null,
): AsyncGenerator<SealedItem> {
  const key = await secretOf(db);
  for (let some = await readSealed(db, which); some.length > 0; ) {
    for (const { projectId, resourceId, sealed } of some) {
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(`${projectId} ${resourceId}`))
        .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const bytes = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      const content = JSON.parse(inflateRawSync(bytes).toString()) as Pick<SealedItem, "names" | "mentions">;
      yield { projectId, resourceId, ...content };
    }
    some = await readSealed(db, which, some.at(-1));
  }
}

async function secretOf(db: Database): Promise<Buffer> {
  const secret = await settingOr(db, "seal-secret", randomBytes(32).toString("base64url"));
  return Buffer.from(z.string().parse(secret), "base64url");
}

/**
 * Gives a sealed mention as it would be now: its query, tags and subcategories may have another name since it was sealed, and
 * tags may be gone.
 */
export async function namesOfToday(
  db: Database,
  projectId: number,
): Promise<(sealed: CurrentMention) => CurrentMention> {
  const queries = new Map((await listQueries(db, projectId)).map(({ id, name }) => [id, name]));
  const tags = new Map((await listTags(db, projectId)).map(({ id, name }) => [id, name]));
  const details = new Map(
    (await listCategories(db, projectId)).flatMap((parent) =>
      parent.children.map((child) => [String(child.id), { name: child.name, parentName: parent.name }]),
    ),
  );
  return (sealed) => {
    const { categoryDetails = [], queryName } = sealed.fields as Partial<MentionRecord>;
    const tagIds = sealed.tagIds.filter((id) => tags.has(id));
    const names = {
      queryName: queries.get(sealed.queryId) ?? queryName,
      tags: tagIds.map((id) => tags.get(id)),
      categoryDetails: categoryDetails.map((detail) => ({ ...detail, ...details.get(detail.id) })),
    };
    return { ...sealed, tagIds, fields: { ...sealed.fields, ...names } };
  };
}

/** A client that saw a mention deleted does not look for it again: one that is back has another id. */
export function returnedId(resourceId: string, at: Instant): string {
  return createHash("sha256").update(`${resourceId} ${at}`).digest("hex").slice(0, 32);
}

/**
 * Undoes deletes that were only seen: the items are back in the queries that had them and still exist, as new mentions that
 * arrive now. Gives their number; those that are unknown, or too old, are left out.
 *
 * @param queue called in the same transaction with the mentions that somebody may have to judge
 */
export function undoDeletes(
  db: Database,
  projectId: number,
  resourceIds: readonly string[],
  parts: {
    readonly now: () => Instant;
    readonly queue: (transaction: Database, versions: readonly MentionVersion[]) => Promise<void>;
  },
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const at = await beginWriting(transaction, [projectId], parts.now);
    const hidden = await lockReceivedQuery(transaction, projectId);
    const queries = (await listQueries(transaction, projectId)).map(({ id }) => id);
    const all = new Set([hidden, ...queries]);
    await lockQueries(transaction, [...all]);
    // Whoever forgets an author has looked for what is sealed, and removes it a moment later.
    const isForgotten = await readForgotten(transaction);
    const asNow = await namesOfToday(transaction, projectId);
    const versions: MentionVersion[] = [];
    const names: (ItemName & { readonly newResourceId: string })[] = [];
    let undone = 0;
    for await (const item of unsealItems(transaction, { projectId, resourceIds })) {
      if (item.mentions.some(({ fields }) => isForgotten?.(namesIn(fields), dateOf(fields)) === true))
        continue;
      undone++;
      const newResourceId = returnedId(item.resourceId, at);
      names.push(...item.names.map((name) => ({ ...name, newResourceId })));
      const mentions = item.mentions.filter(({ queryId }) => all.has(queryId));
      versions.push(
        ...mentions.map((mention) =>
          currentVersion({
            ...asNow(mention),
            resourceId: newResourceId,
            version: 1,
            added: at,
            updated: at,
          }),
        ),
      );
    }
    await returnItems(transaction, projectId, names);
    await insertMentions(transaction, versions);
    await parts.queue(
      transaction,
      versions.filter(({ record }) => record.queryId !== hidden),
    );
    return undone;
  });
}

function namesIn(fields: CurrentMention["fields"]) {
  const text = (name: string) => (typeof fields[name] === "string" ? String(fields[name]) : null);
  return {
    ...{ author: text("author"), fullname: text("fullname"), domain: text("domain") },
    ...{ url: text("url"), originalUrl: text("originalUrl"), pageType: text("pageType") },
  };
}

/** Without a date it is as old as can be. */
function dateOf({ date }: CurrentMention["fields"]): Instant {
  return typeof date === "string" ? Date.parse(date) : 0;
}

/** Mentions of an author or an address in every project, sealed ones too. Reads all that is sealed. */
export async function findForgettable(
  db: Database,
  target: ForgetTarget,
  limit: number,
): Promise<{ readonly projectId: number; readonly resourceId: string }[]> {
  const found = await findByAuthorOrAddress(db, target, limit);
  for await (const { projectId, resourceId, mentions } of unsealItems(db, null))
    if (found.length < limit && mentions.some(({ fields }) => isMeant(fields, target)))
      found.push({ projectId, resourceId });
  return found;
}

/** The mentions with this address whose delete can be undone. */
export async function findSealedAt(db: Database, projectId: number, url: string): Promise<string[]> {
  const found: string[] = [];
  for await (const item of unsealItems(db, null))
    if (item.projectId === projectId && item.mentions.some(({ fields }) => isAt(fields, url)))
      found.push(item.resourceId);
  return found;
}

/** As `findByAuthorOrAddress` compares. */
function isMeant(fields: CurrentMention["fields"], { what, value, source }: ForgetTarget): boolean {
  const { author, fullname, domain, pageType } = fields;
  if (source !== null && domain !== source && pageType !== source) return false;
  if (what === "url") return isAt(fields, value);
  return author === value || author === `@${value}` || fullname === value;
}

function isAt({ url, originalUrl }: CurrentMention["fields"], address: string): boolean {
  return url === address || originalUrl === address;
}

import type { FeedView } from "#feeds";
import {
  type Actor,
  editToCategories,
  FEEDS_PREFIX,
  type MentionEdit,
  type ShownSourceEdit,
  type Stores,
} from "#monitor";
import type { Instant } from "../../lib/instant.ts";
import { uuid7 } from "../../lib/uuid7.ts";

interface Which {
  readonly queryId: string;
  readonly resourceId: string;
}

interface CorrectionParts {
  /** Null: there are none. */
  readonly feeds: Pick<FeedView, "correct" | "categories" | "categorize"> | null;
  readonly stores: Pick<Stores, "mentions" | "sourceEdits" | "transaction">;
  /** Whether corrections are written back to the account (`source.writeCorrections`). */
  readonly toAccount: boolean;
}

/** Takes corrections of people: our own feeds store them at once, those of an account are written there by a job. */
export type Corrections = ReturnType<typeof createCorrections>;

export function createCorrections({ feeds, stores, toAccount }: CorrectionParts) {
  const toWrite = async (
    { queryId, resourceId }: Which,
    by: Actor,
    now: Instant,
    editOf: (stored: readonly string[], earlier: readonly ShownSourceEdit[]) => MentionEdit,
  ): Promise<boolean> => {
    const find = async ({ mentions }: Pick<Stores, "mentions">) =>
      (await mentions.findAnywhere(resourceId)).find(
        ({ mention }) => mention.queryId === queryId && mention.resourceId === resourceId,
      );
    const first = await find(stores);
    if (first === undefined) return false;
    const key = { projectId: first.projectId, queryId, resourceId };
    return stores.transaction(async (facts) => {
      // Whoever deletes the mention or corrects it meanwhile takes turns with us.
      await facts.queries.lock(key.projectId, queryId);
      const found = await find(facts);
      if (found === undefined) return false;
      const stored = found.mention.categories.map(({ id }) => id);
      const edit = editOf(stored, await facts.sourceEdits.ofMention(key));
      await facts.sourceEdits.add({ ...key, id: uuid7(now), at: now, actor: by, edit });
      return true;
    });
  };
  const isOfFeeds = ({ queryId }: Pick<Which, "queryId">) => queryId.startsWith(FEEDS_PREFIX);
  return {
    /** Whether mentions of this query can be corrected here. */
    takes: (queryId: string): boolean => (isOfFeeds({ queryId }) ? feeds !== null : toAccount),
    /** False: the mention is gone, or is corrected elsewhere. */
    sentiment: async (
      which: Which & { readonly sentiment: "positive" | "neutral" | "negative" },
      by: Actor,
      now: Instant,
    ): Promise<boolean> => {
      if (isOfFeeds(which)) return (await feeds?.correct(which)) != null;
      return toAccount && toWrite(which, by, now, () => ({ sentiment: which.sentiment }));
    },
    /** The ids of all subcategories that it is in. False: as above, or two of them exclude each other. */
    categories: async (
      which: Which & { readonly categories: readonly number[] },
      by: Actor,
      now: Instant,
    ): Promise<boolean> => {
      if (isOfFeeds(which)) return (await feeds?.categorize(which)) ?? false;
      const categories = [...new Set(which.categories.map(String))];
      return toAccount && toWrite(which, by, now, (...has) => editToCategories(categories, ...has));
    },
    /** The subcategories to choose from. */
    choices: async (projectId: string, queryId: string): Promise<readonly Choice[]> => {
      if (isOfFeeds({ queryId })) return (await feeds?.categories()) ?? [];
      const known = toAccount ? await stores.sourceEdits.categoriesOf(projectId, queryId) : [];
      return known.flatMap(({ id, name }) =>
        Number.isSafeInteger(Number(id)) ? [{ id: Number(id), name }] : [],
      );
    },
  };
}

interface Choice {
  readonly id: number;
  readonly name: string;
}

import type { FeedView } from "#feeds";
import { type Actor, FEEDS_PREFIX, type MentionEdit, type Stores } from "#monitor";
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
    edit: MentionEdit,
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
      if ((await find(facts)) === undefined) return false;
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
      return toAccount && toWrite(which, by, now, { sentiment: which.sentiment });
    },
    /**
     * The ids of the subcategories that it is in now, and is not in any more; what others changed meanwhile stays. False: as
     * above, or two of them exclude each other.
     */
    categories: async (
      which: Which & { readonly added: readonly number[]; readonly removed: readonly number[] },
      by: Actor,
      now: Instant,
    ): Promise<boolean> => {
      if (isOfFeeds(which)) return (await feeds?.categorize(which)) ?? false;
      const [addCategories, removeCategories] = [which.added.map(String), which.removed.map(String)];
      return toAccount && toWrite(which, by, now, { addCategories, removeCategories });
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

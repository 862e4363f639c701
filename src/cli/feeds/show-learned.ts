import { type Config, LISTENING } from "#admin";
import { describeLearned, learns, nameLearned, readLearned } from "#feeds";
import { findProject } from "#listening-api";
import { FEEDS_PREFIX } from "#monitor";
import { systemClock } from "../../lib/clock.ts";
import { print } from "../common/print.ts";
import { printRows } from "../common/print-rows.ts";
import { withAlertActions } from "../common/with-alert-actions.ts";
import { withTables } from "../local-api/with-tables.ts";

export const LEARNED_HELP = `
"Not relevant" on an alert teaches relevance (enrich.relevance: learned), a corrected sentiment teaches sentiment
(enrich.sentiment: learned), and a corrected category that category (enrich.categories: learned), each by query. It acts where a test on its own judgements shows that it is better than none.
Nothing that it learnt is stored: it is learnt again from the texts that are there. docs/enrich.md has all of it.

Examples:
  earshot feeds learned
  earshot feeds learned --json`;

/** `earshot feeds learned`: what people have taught, and how good it is. */
export async function showLearned(
  { json }: { readonly json: boolean },
  { enrich }: Pick<Config, "enrich">,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (!learns(enrich) && !json) {
    print(
      "Nothing is learnt: set enrich.relevance, enrich.sentiment or enrich.categories to learned in earshot.yaml.",
    );
    return;
  }
  await withAlertActions(env, ({ stores }) =>
    withTables(env, async ({ db }) => {
      const project = await findProject(db, LISTENING);
      const rows = await readLearned(db, project.id, {
        config: enrich,
        judged: ({ id, name }, most) =>
          stores.mentions.judged({ id: `${FEEDS_PREFIX}${id}`, name }, { most }),
        now: systemClock.now(),
      });
      const shown = rows.map((row) => ({
        query: row.query,
        what: nameLearned(row),
        how: describeLearned(row),
      }));
      await printRows(json ? rows.map((row) => ({ ...row })) : shown, { json, none: "There is no query." });
    }),
  );
}

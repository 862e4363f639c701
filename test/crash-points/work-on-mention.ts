import type { Instant } from "../../src/lib/instant.ts";
import type { Stores } from "../../src/monitor/store/stores.ts";
import { noteMention, pressMentions, undoPress } from "../../src/monitor/workflow/actions/press-mentions.ts";

/** What somebody does on the console about the mentions of a query. */
export type Work = "assign" | "status" | "tag" | "note" | "undo";

const ANN = { via: "page", login: "ann", typed: null } as const;
const BO = { via: "page", login: "bo", typed: null } as const;

/** Done again it changes nothing. The tag is undone, by whom it was made. */
export async function workOnMentions(
  stores: Stores,
  work: Work,
  now: Instant,
  who: "ann" | "bo" = "ann",
): Promise<void> {
  const found = await stores.forgotten.findMentions({ what: "author", value: "ann", source: null }, 100);
  const keys = found.map(({ projectId, mention: { queryId, resourceId } }) => ({
    projectId,
    queryId,
    resourceId,
  }));
  const parts = { stores, by: who === "ann" ? ANN : BO, now };
  const [first] = keys;
  if (work === "assign") await pressMentions(parts, keys, { do: "assign", to: who });
  if (work === "status") await pressMentions(parts, keys, { do: "status", status: "done" });
  if (work === "tag") await pressMentions(parts, keys, { do: "tag", tags: ["vip"] });
  if (work === "note" && first !== undefined)
    await noteMention(parts, first, { press: "0199b2c4-7d1a-7000-8000-000000000001", text: "Called them" });
  if (work !== "undo" || first === undefined) return;
  const { steps } = await stores.mentionWorkflow.story(first);
  // Not the last one: after a kill, presses of one moment have no order.
  const tagged = steps.find(
    ({ before, after }) => after?.tags.includes("vip") === true && !before?.tags.includes("vip"),
  );
  if (tagged !== undefined) await undoPress(parts, tagged.press);
}

import type { Surroundings } from "../../config.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Logger } from "../../log.ts";
import type { Rule } from "../../rules/rule.ts";
import type { Renderer } from "../../templates/create-renderer.ts";
import { openDesk } from "../open-desk.ts";
import { createContentOfAlert } from "./content-of-alert.ts";
import { createPreviews, type Previews } from "./create-previews.ts";

/** Previews of alerts that are stored, for one command: beside a running Earshot, or without one. */
export async function openAlertPreviews(options: {
  readonly surroundings: Pick<Surroundings, "databaseUrl" | "home">;
  readonly renderer: Renderer;
  readonly rules: readonly Rule[];
  readonly timezone: string;
  readonly consoleUrl: string | null;
  readonly log: Logger;
}): Promise<{ readonly previews: Previews; close(): Promise<void> }> {
  const { surroundings, renderer, rules, timezone, consoleUrl, log } = options;
  const { stores, facts, close } = await openDesk(surroundings, systemClock, log);
  const contentOf = createContentOfAlert({
    facts,
    stores,
    rulesFor: (query) => rules.filter((rule) => rule.appliesTo(query)),
    timezone,
    consoleUrl: () => consoleUrl,
  });
  return { previews: createPreviews({ renderer, contentOf }), close };
}

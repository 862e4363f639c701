import { createContentOfAlert, type PreviewContent, type Rule } from "#monitor";
import { systemClock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { Environment } from "../config/environment.ts";
import { type OpenAlertActions, openAlertActions } from "./open-alert-actions.ts";

/** The content of messages about stored alerts, for one command, with or without a running Earshot. */
export async function openAlertContents(options: {
  readonly environment: Pick<Environment, "databaseUrl" | "home" | "configFile">;
  readonly rules: readonly Rule[];
  readonly timezone: string;
  readonly consoleUrl: string | null;
  readonly log: Logger;
}): Promise<{
  contentOf(alertId: string): Promise<PreviewContent | null>;
  readonly stores: Pick<OpenAlertActions["stores"], "alerts">;
  close(): Promise<void>;
}> {
  const { environment, rules, timezone, consoleUrl, log } = options;
  const { stores, facts, close } = await openAlertActions(environment, systemClock, log);
  const contentOf = createContentOfAlert({
    facts,
    stores,
    rulesFor: (query) => rules.filter((rule) => rule.appliesTo(query)),
    timezone,
    clock: systemClock,
    consoleUrl: () => consoleUrl,
  });
  return { contentOf, stores, close };
}

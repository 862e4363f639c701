import { openSetupView, type SetupSchema } from "#admin";
import { openPage } from "#console";
import { systemClock } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import { shippedFolder } from "../../lib/folders.ts";
import type { Logger } from "../../lib/log.ts";
import { openRules } from "../tries/open-rule-view.ts";
import { openTemplateEditor } from "../tries/open-template-view.ts";
import { ruleFilesOf } from "../tries/rule-files.ts";
import { whatHappensNext } from "./demo.ts";
import type { DemoConsoleOrder, ShownDemo } from "./demo-console.ts";

/** The reader gets this answer first. */
const ANSWER_TAKES_MS = 1_000;

/** The console of a demo, with a page that sets up a brand. Resolves with its address. */
export async function openDemoPage(
  shown: ShownDemo,
  parts: Pick<DemoConsoleOrder, "databaseUrl" | "tryNextPort" | "configFile"> & {
    readonly schemas: readonly SetupSchema[];
    /** Called when its page has written a configuration. */
    readonly onConfigured: () => void;
    readonly port: number;
    readonly besidePipeline: boolean;
    readonly log: Logger;
  },
  closing: Closing,
): Promise<string> {
  const { clock, earshot, receivers, press } = shown;
  const { rules, previews, why, config } = earshot;
  const { databaseUrl, port, tryNextPort, configFile, schemas, besidePipeline, log, onConfigured } = parts;
  const page = await openPage({
    ...{ databaseUrl, clock, log, tryNextPort, press, receivers, besidePipeline, rules, previews, why },
    settings: { host: "127.0.0.1", port, timezone: "UTC" },
    hasLocalInbox: true,
    openRules: openRules(ruleFilesOf(config), { clock, log, timezone: "UTC" }),
    openTemplates: openTemplateEditor({ folder: shippedFolder("templates") }, log),
    setup: openSetupView({
      ...{ file: configFile, configured: null, schemas, clock: systemClock, log },
      next: "The demo ends, and Earshot starts with these files. In about ten seconds Feeds shows what they bring.",
      onWritten: () => void setTimeout(onConfigured, ANSWER_TAKES_MS),
      timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
    whatHappensNext: () => whatHappensNext(shown),
  });
  closing.add(page.close);
  return page.url;
}

import type { NotifyConfig } from "../notify/decide/decide-notifications.ts";
import type { MonitorConfig } from "./monitor-config.ts";
import { createNotifyConfig } from "./notify-config.ts";

/** What the pages of rules need of the configuration. */
export interface RuleFiles {
  readonly folder: string;
  readonly notifyConfig: NotifyConfig;
  /**
   * Makes every process apply the files after a rule was saved; returns the result, as a sentence. Absent
   * where only a restart does that.
   */
  readonly reload?: () => Promise<string>;
}

export function ruleFilesOf(config: MonitorConfig): RuleFiles {
  return { folder: config.rules, notifyConfig: createNotifyConfig(config) };
}

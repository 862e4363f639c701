import { createNotifyConfig, type MonitorConfig, type NotifyConfig } from "#monitor";

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

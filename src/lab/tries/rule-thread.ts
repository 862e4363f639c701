import { serveTasks } from "../../lib/serve-tasks.ts";

/** Reads rules that were typed into the console. */
const tasks = {
  readRule: async () => (await import("../../monitor/rules/posted-rule.ts")).readPostedRule,
  formOf: async () => (await import("../../monitor/rules/posted-rule.ts")).readPostedForm,
  yamlOf: async () => (await import("../../monitor/rules/posted-rule.ts")).writePostedForm,
};
export type RuleTasks = typeof tasks;

serveTasks(tasks);

import { readPostedForm, readPostedRule, writePostedForm } from "#monitor";
import { serveTasks } from "../../lib/serve-tasks.ts";

/** Reads rules that were typed into the console. */
const tasks = {
  readRule: async () => readPostedRule,
  formOf: async () => readPostedForm,
  yamlOf: async () => writePostedForm,
};
export type RuleTasks = typeof tasks;

serveTasks(tasks);

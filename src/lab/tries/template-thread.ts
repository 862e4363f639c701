import { tryTemplate } from "#monitor";
import { serveTasks } from "../../lib/serve-tasks.ts";

/** Tries templates that were typed into the console. */
const tasks = { tryTemplate: async () => tryTemplate };
export type TemplateTasks = typeof tasks;

serveTasks(tasks);

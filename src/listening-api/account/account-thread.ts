import { serveTasks } from "../../lib/serve-tasks.ts";

/** Reads account files that are large: they may come from others. */
const tasks = {
  check: async () => (await import("./account-file.ts")).faultsOfAccount,
};
export type AccountTasks = typeof tasks;

serveTasks(tasks);

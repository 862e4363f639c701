import { serveTasks } from "../../lib/serve-tasks.ts";

/** Everything that is read of what strangers wrote for feeds. */
const tasks = {
  readAnswer: async () => {
    const [{ readAnswer }] = await Promise.all([
      import("./read-answer.ts"),
      // Most answers of strangers are documents. Loading is not to count as reading.
      import("../kinds/rss/read-document.ts"),
    ]);
    return readAnswer;
  },
  readMail: async () => (await import("../kinds/mailbox/read-mail.ts")).readMail,
  readRobots: async () => (await import("./robots.ts")).readRobots,
};
export type ReaderTasks = typeof tasks;

serveTasks(tasks);

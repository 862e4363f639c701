import { serveTasks } from "../../../../lib/serve-tasks.ts";

/** Reads what arrived at the return path: anybody may send there. */
const tasks = {
  readBounce: async () => {
    const { readBounce } = await import("./read-bounce.ts");
    return ({ message, to }: { readonly message: Uint8Array; readonly to: string | null }) =>
      readBounce(Buffer.from(message), to);
  },
};
export type BounceTasks = typeof tasks;

serveTasks(tasks);

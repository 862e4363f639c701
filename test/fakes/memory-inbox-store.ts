import type {
  InboxFile,
  InboxFilter,
  InboxMessage,
  InboxStore,
} from "../../src/console/inbox/inbox-store.ts";

/** An inbox that lives as long as the process. */
export function createMemoryInboxStore(): InboxStore {
  const messages: InboxMessage[] = [];
  const files = new Map<string, InboxFile>();
  return {
    append: async (message) => {
      messages.push(message);
    },
    update: async (message) => {
      const index = messages.findIndex(({ id }) => id === message.id);
      if (index !== -1) messages[index] = message;
    },
    find: async (id) => messages.find((message) => message.id === id) ?? null,
    remove: async (id) => {
      const index = messages.findIndex((message) => message.id === id);
      if (index !== -1) messages.splice(index, 1);
    },
    putFile: async (file) => {
      files.set(file.id, file);
    },
    findFile: async (id) => files.get(id) ?? null,
    list: async (filter) => {
      const newestFirst = [...messages].reverse();
      const start =
        filter.before === undefined ? 0 : 1 + newestFirst.findIndex(({ id }) => id === filter.before);
      return newestFirst
        .slice(start)
        .filter((message) => isWanted(message, filter))
        .slice(0, filter.limit);
    },
  };
}

function isWanted(message: InboxMessage, { kind, channel, threadTs }: InboxFilter): boolean {
  if (kind !== undefined && message.kind !== kind) return false;
  if (channel !== undefined && (message.kind !== "slack" || message.channel !== channel)) return false;
  return threadTs === undefined || (message.kind === "slack" && message.threadTs === threadTs);
}

import type { ConsoleDeps } from "../../src/console/create-console.ts";

/**
 * Everything that a console may have, so that it registers every route. These parts have nothing to show: whoever uses
 * them asks who may come in.
 */
export const EVERY_PART: Partial<ConsoleDeps> = {
  unsubscribing: { find: async () => null, set: async () => null },
  interactions: [{ path: "/slack/interactions", mostBytes: 1024, take: async () => "NotSigned" }],
  push: {
    knows: () => false,
    take: async () => ({ status: 401, body: {} }),
    takeFor: async () => ({ status: 200, body: {} }),
  },
  hubs: {
    refuse: async () => null,
    verify: async () => ({ status: 404, body: "" }),
    take: async () => ({ status: 202, body: "" }),
    fetchInstead: async () => {},
  },
  feeds: {
    list: async () => ({ at: 0, feeds: [] }),
    learned: async () => [],
    correct: async () => null,
    categories: async () => [],
    categorize: async () => false,
    version: async () => "",
    attempt: async () => null,
  },
  setup: {
    isOpen: false,
    questions: Object.fromEntries(
      ["brand", "spellings", "not", "about", "rivals", "languages", "contact"].map((name) => [
        name,
        { label: name, example: "", hint: "" },
      ]),
    ) as NonNullable<ConsoleDeps["setup"]>["questions"],
    kinds: [],
    draft: async () => ({ outcome: "Busy" }),
    leaveOut: (form) => form,
    write: async () => ({ outcome: "Refused", because: "nothing is written here", details: [] }),
  },
  explainer: { findings: () => [], chart: () => null } as unknown as NonNullable<ConsoleDeps["explainer"]>,
  previews: {
    samples: [],
    templates: [],
    ofSample: () => null,
    ofAlert: async () => null,
    ofTemplate: async () => null,
    digests: () => [],
    ofEdition: async () => null,
  },
};

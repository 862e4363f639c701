import type { Issue } from "../lib/fault.ts";
import type { DigestConfig } from "./digest-config.ts";
import { planDigests } from "./planned-digest.ts";

/** Editions are keyed by their digest's name and sent once per reader. Finds digests and readers that would collide. */
export function digestClashes(digests: readonly DigestConfig[]): Issue[] {
  const known = new Set<string>();
  return digests.flatMap((digest, index) => {
    const editions = planDigests([digest]).map(({ name }) => name);
    const taken = editions.find((name) => known.has(name));
    for (const name of editions) known.add(name);
    const readers = digest.receivers.map(({ name }) => name);
    return [
      ...(taken === undefined
        ? []
        : [{ path: ["digests", index, "name"], message: `there are two digests "${taken}"` }]),
      ...readers.flatMap((name, at): Issue[] =>
        readers.indexOf(name) === at
          ? []
          : [{ path: ["digests", index, "receivers", at], message: `"${name}" reads it already` }],
      ),
    ];
  });
}

/** Alerts of the same millisecond share half of their id and more. */
const LEAST = 23;

/**
 * The first characters of each id that no other id has, in a list. `alike` finds all stored ids that begin like one of
 * these: an id is typed to act on an alert, which may be any stored one.
 */
export async function shortIds(
  ids: readonly string[],
  alike: (prefixes: readonly string[]) => Promise<readonly string[]>,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const prefixes = [...new Set(ids.map((id) => id.slice(0, LEAST)))];
  const known = [...new Set([...ids, ...(await alike(prefixes))])].sort();
  return new Map(
    known.map((id, index) => {
      const shared = Math.max(sharedStart(id, known[index - 1]), sharedStart(id, known[index + 1]));
      return [id, id.slice(0, Math.max(LEAST, shared + 1))];
    }),
  );
}

function sharedStart(id: string, other = ""): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}

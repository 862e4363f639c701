import { isDeepStrictEqual } from "node:util";
import { isMap, isScalar, parseDocument } from "yaml";

type ListenChange =
  | { readonly outcome: "Changed"; readonly text: string }
  /** `because`: a sentence. */
  | { readonly outcome: "Unfit"; readonly because: string };

/**
 * The text of an earshot.yaml with another `listen`, and every other byte as it was. `listen` is the whole part, with its
 * key, in lines. Without one in the file it goes to the end. Pure.
 */
export function changeListen(before: string, listen: string): ListenChange {
  const document = parseDocument(before, { prettyErrors: false });
  const map = document.contents;
  if (document.errors.length > 0 || !isMap(map) || map.flow === true)
    return { outcome: "Unfit", because: "the file has faults, or is not a list of keys, one on a line" };
  const key = map.items.map((pair) => pair.key).find((one) => isScalar(one) && one.value === "listen");
  const start = isScalar(key) ? key.range?.[0] : undefined;
  const text =
    start === undefined
      ? `${before}${before.endsWith("\n") ? "" : "\n"}\n${listen}`
      : `${before.slice(0, start)}${listen}${before.slice(start + lengthOfPart(before.slice(start)))}`;
  // Aliases could reach from one part into another.
  const after = parseDocument(text, { prettyErrors: false });
  const others = (content: unknown) => ({ ...Object(content), listen: undefined });
  if (after.errors.length > 0 || !isDeepStrictEqual(others(read(document)), others(read(after))))
    return { outcome: "Unfit", because: "`listen` cannot be changed here without changing other parts" };
  return { outcome: "Changed", text };
}

/** Up to the last line that is not blank, no comment of its own, and further in than the key. */
function lengthOfPart(text: string): number {
  let end = 0;
  let at = 0;
  for (const line of text.split(/(?<=\n)/)) {
    if (at > 0 && /^[^\s#]/.test(line)) break;
    at += line.length;
    if (at === line.length || /^\s+[^\s]/.test(line)) end = at;
  }
  return end;
}

function read(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}

/** A tag as a browser would see it. */
export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * The tags of one of our pages, which quotes every attribute and closes every tag; throws at anything else that begins
 * with `<`. It is stricter than a browser, which would accept that, too.
 */
export function readTags(html: string): readonly Tag[] {
  const tags: Tag[] = [];
  for (let at = html.indexOf("<"); at !== -1; at = html.indexOf("<", at)) {
    TAG.lastIndex = at;
    const found = TAG.exec(html);
    if (found === null) throw new Error(`no tag of ours: ${JSON.stringify(html.slice(at, at + 120))}`);
    at = TAG.lastIndex;
    const [, name = "", attributes = ""] = found;
    tags.push({ name: name.toLowerCase(), attributes: readAttributes(attributes) });
  }
  return tags;
}

/** `a href rel`: the name and attributes of a tag, without values. */
export function shapeOf({ name, attributes }: Tag): string {
  return [name, ...Object.keys(attributes).sort()].join(" ");
}

const ATTRIBUTE = /\s+([a-zA-Z][\w:.-]*)(?:="([^"<>]*)")?/g;
const TAG = /<(!doctype|\/?[a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z][\w:.-]*(?:="[^"<>]*")?)*)\s*\/?>/gy;

function readAttributes(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(ATTRIBUTE)].map(([, name = "", value = ""]) => [name, value]));
}

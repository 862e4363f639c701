/** `RT @someone: text` → who is repeated, in lower case, and the text with its spaces evened; else null. */
export function repostedText(text: string): { author: string; text: string } | null {
  const [, author, repeated] = /^\s*RT @(\w{1,30}):?\s+([\s\S]+)$/.exec(text) ?? [];
  if (author === undefined || repeated === undefined) return null;
  return { author: author.toLowerCase(), text: repeated.replaceAll(/\s+/g, " ").trim() };
}

/**
 * The address, as `new URL` reads it; null: it is none. `URL.canParse` of Node 20 is not asked: called some thousand times, it
 * says no to every host with a letter such as ü, since its compiled form takes Latin-1 for UTF-8. `URL.parse` came with Node 22.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

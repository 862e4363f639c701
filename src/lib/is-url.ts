/**
 * Whether it is an address, as `new URL` reads it. `URL.canParse` of Node 20 is not asked: called some thousand times, it says
 * no to every host with a letter such as ü, since its compiled form takes Latin-1 for UTF-8.
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    return new URL(text, base) !== null;
  } catch {
    return false;
  }
}

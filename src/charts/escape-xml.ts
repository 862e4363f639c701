/** Any text as the content or the quoted attribute of an XML element. What XML cannot hold is left out. */
export function escapeXml(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "")
    .replace(FORBIDDEN, "")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** Control characters, and the marks that turn the direction of the text that follows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what shall be found
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Any text as the content or the quoted attribute of an XML element. What XML cannot hold is left out. */
export function escapeXml(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "")
    .replace(FORBIDDEN, "")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** Control characters, and the marks that turn the direction of the text that follows. */
const FORBIDDEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

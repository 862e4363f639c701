import { tokenize } from "./tokenize.ts";

/** `&amp;`, `&eacute;`, `&#8217;`. Without its semicolon it is none: `?a=1&copy=2` is an address. */
const ENTITY = /&(?:#x[\da-f]{1,6}|#\d{1,7}|[a-z][a-z\d]{1,31});/gi;

/** A document has some dozen different ones; hostile ones have any number. */
const MOST_KNOWN = 5_000;
const known = new Map<string, string>();

/** Text with the entities of HTML in place of their names and numbers, once; names that HTML does not know stay. */
export function decodeEntities(text: string): string {
  return text.includes("&") ? text.replaceAll(ENTITY, decodeOne) : text;
}

function decodeOne(entity: string): string {
  const before = known.get(entity);
  if (before !== undefined) return before;
  const decoded = tokenized(entity);
  if (known.size < MOST_KNOWN) known.set(entity, decoded);
  return decoded;
}

/** The tokenizer of htmlparser2 knows all 2,231 names, and what the numbers of Windows-1252 stand for. */
function tokenized(entity: string): string {
  let text = "";
  tokenize(
    entity,
    { decodeEntities: true, xmlMode: false },
    {
      ontext(start, end) {
        text += entity.slice(start, end);
      },
      ontextentity(codepoint) {
        text += String.fromCodePoint(codepoint);
      },
    },
  );
  return text;
}

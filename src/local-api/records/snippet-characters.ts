/** How long a snippet is at most, in UTF-16 code units; what is longer is in the full text. */
export const SNIPPET_CHARACTERS = 1_000;

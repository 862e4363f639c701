/** Hashtags and mentioned authors of a text, each once, with their sign, in the order of the text. */
export function insightsOf(text: string): { insightsHashtag: string[]; insightsMentioned: string[] } {
  return {
    insightsHashtag: text.includes("#") ? signed(text, HASHTAG) : [],
    insightsMentioned: text.includes("@") ? signed(text, AUTHOR) : [],
  };
}

const HASHTAG = /(?<![\p{L}\p{N}_&])#[\p{L}\p{N}_]{1,100}/gu;
const AUTHOR = /(?<![\p{L}\p{N}_])@[A-Za-z0-9_]{1,30}/gu;

function signed(text: string, pattern: RegExp): string[] {
  return [...new Set(text.match(pattern) ?? [])];
}

import { isSmallUnspaced, splitUnspaced } from "../../lib/split-unspaced.ts";
import { foldText } from "../../lib/text.ts";
import { splitWords } from "../query-language/split-words.ts";

/** What the topics of a mention are made of. */
interface TopicSource {
  readonly text: string;
  readonly hashtags: readonly string[];
}

/** Words, or up to three of them next to each other: where blanks stand between words, or nobody could tell how many. */
export type TopicKind = "words" | "phrases" | "hashtags";

const LONGEST_PHRASE = 3;
const MAX_WORD = 40;
/** The beginning of a very long text is enough. */
export const MAX_CHARACTERS = 5_000;
const ADDRESS = /https?:\/\/\S+|[@#][\p{L}\p{M}\p{N}_\u200c\u200d]+/gu;

/** The topics of a text, each once: folded form -> as it is written. Pure. */
export function topicsOf({ text, hashtags }: TopicSource, kinds: readonly TopicKind[]): Map<string, string> {
  const found = new Map<string, string>();
  if (kinds.includes("hashtags")) for (const tag of hashtags) found.set(tag.toLowerCase(), tag);
  const most = kinds.includes("phrases") ? LONGEST_PHRASE : kinds.includes("words") ? 1 : 0;
  const least = kinds.includes("words") ? 1 : 2;
  if (most === 0) return found;
  const bare = text.slice(0, MAX_CHARACTERS).replaceAll(ADDRESS, (part) => "\n".repeat(part.length));
  const { spaced: plain, unspaced } = splitUnspaced(bare);
  if (least === 1)
    for (const word of unspaced) {
      const key = foldText(word);
      if (isTopicWord(key) && !isSmallUnspaced(key)) found.set(key, word);
    }
  const words = splitWords(plain);
  const ofTopics = words.map(({ folded }) => isTopicWord(folded));
  for (const [from, first] of words.entries()) {
    if (ofTopics[from] !== true) continue;
    let key = "";
    for (let at = from; at < from + most; at++) {
      const last = words[at];
      // A phrase ends at the end of a sentence, and with a word that has a meaning.
      if (last === undefined || SENTENCE_END.test(plain.slice(first.end, last.start))) break;
      key = at === from ? last.folded : `${key} ${last.folded}`;
      if (at - from + 1 >= least && ofTopics[at] === true)
        found.set(key, written(plain, first.start, last.end));
    }
  }
  return found;
}

/** Also as Arabic, Hindi and Chinese write it. */
const SENTENCE_END = /[.!?;:,…\n،؛؟۔।॥。！？；：，、]/;
const MANY_SPACES = /[^\S ]|\s\s/;

function written(text: string, start: number, end: number): string {
  const part = text.slice(start, end);
  return MANY_SPACES.test(part) ? part.replaceAll(/\s+/g, " ") : part;
}

/** Whether a word may be what a text is about; `folded` as by `foldText`. */
export function isTopicWord(folded: string): boolean {
  return folded.length > 1 && folded.length <= MAX_WORD && !STOP_WORDS.has(folded) && !/^\d+$/.test(folded);
}

/** The number of texts with each topic, and its most frequent spelling among the first. */
export interface TopicCounts {
  readonly texts: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** A topic of the answer, with what makes it unusual. */
export interface ChosenTopic {
  readonly key: string;
  readonly volume: number;
  /** Log-likelihood ratio of its share here against its share in the other texts. */
  readonly score: number;
}

const MIN_VOLUME = 2;

/**
 * The topics that are more frequent here than elsewhere, the most unusual ones first. A part of a longer topic that
 * hardly ever occurs alone is left out. Without other texts, the most frequent ones. Pure.
 */
export function chooseTopics(here: TopicCounts, elsewhere: TopicCounts, limit: number): ChosenTopic[] {
  const candidates: ChosenTopic[] = [];
  for (const [key, volume] of here.counts) {
    if (volume < MIN_VOLUME) continue;
    const unusual =
      elsewhere.texts === 0
        ? volume
        : excess(volume, here.texts, elsewhere.counts.get(key) ?? 0, elsewhere.texts);
    if (unusual > 0) candidates.push({ key, volume, score: unusual * longer(key) });
  }
  candidates.sort((a, b) => b.score - a.score || b.volume - a.volume || (a.key < b.key ? -1 : 1));
  const chosen: ChosenTopic[] = [];
  for (const candidate of candidates) {
    if (chosen.length >= limit) break;
    if (!chosen.some((one) => isSameTopic(one, candidate))) chosen.push(candidate);
  }
  return chosen;
}

/** A phrase says more than its words, and is never more frequent than they are. */
function longer(key: string): number {
  return 1 + 0.3 * (key.split(" ").length - 1);
}

/** "hot" next to "hot water": one of them, unless the shorter one is often used alone, too. */
function isSameTopic(known: ChosenTopic, next: ChosenTopic): boolean {
  const [shorter, longer] = known.key.length < next.key.length ? [known, next] : [next, known];
  return ` ${longer.key} `.includes(` ${shorter.key} `) && longer.volume * 2 > shorter.volume;
}

/** Signed log-likelihood ratio (G²); below 0 where the topic is rarer here. */
function excess(here: number, hereTexts: number, there: number, thereTexts: number): number {
  const share = (here + there) / (hereTexts + thereTexts);
  const [expectedHere, expectedThere] = [hereTexts * share, thereTexts * share];
  const part = (seen: number, expected: number) => (seen === 0 ? 0 : seen * Math.log(seen / expected));
  const ratio = 2 * (part(here, expectedHere) + part(there, expectedThere));
  return here / hereTexts > there / thereTexts ? ratio : -ratio;
}

/** Words without a topic of their own, in the languages that most mentions use. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `
  a about after again all also am an and any are as at be because been before being but by can could did do does doing
  don done down each even few for from get gets getting go goes going got had has have having he her here hers him his
  how i if in into is it its itself just know let like ll made make makes me more most much my myself no nor not now of
  off ok on once one only or other our out over own please re really s said same say says see she should so some still
  such t than thank thanks that the their them then there these they thing things think this those through to today too
  under until up us ve very via want was way we well were what when where which while who why will with would yes yet
  you your yours amp rt http https www com
  aber als am auch auf aus bei bin bis das dass dem den der des die doch du durch ein eine einem einen einer er es euch
  fur gibt hab habe haben hat hatte ich ihr im in ist ja kann kein keine mal man mehr mein mich mir mit nach nicht noch
  nur ob oder schon sehr sein seine sich sie sind so uber um und uns vom von vor war was weil wenn wer wie wieder wir
  wird zu zum zur
  al como con cuando de del desde donde el ella en era es esta este esto fue ha hay la las le les lo los mas me mi muy no
  nos o para pero por porque que se ser si sin sobre solo son su sus te tiene todo tu un una uno ya yo
  au aux avec bien c ce ces cette dans des du elle en est et eu fait il ils j je la le les leur lui ma mais meme mon n ne
  nous on ou par pas plus pour qu que qui sa sans ses si son sont sur ta te tout tres un une vos votre vous y
  che di e gli ho il io lo ma mi nel non per piu quando questo se sei si sono un una
  ao com da do dos e ela ele em eu foi isso ja mais mas meu na nao nas no nos o os ou para pela pelo por quando que se
  sem ser seu sua tem um uma voce
  aan als bij dat de die dit een en er het hij ik in is je maar met naar niet nog om ook op te van voor was wat we ze zijn
  `
    .trim()
    .split(/\s+/),
);

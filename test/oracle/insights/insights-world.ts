import type { Moment } from "../world.ts";

/** A mention as it is kept at the end: what was edited is as it was edited last, and what was deleted is not here. */
export interface KeptMention {
  readonly query: string;
  readonly id: string;
  /** When it was published, or when it arrived. */
  readonly at: Moment;
  readonly sentiment: string | null;
  /** The handle, or the name where there is none. */
  readonly author: string | null;
  readonly shownAs: string | null;
  readonly domain: string | null;
  readonly country: string | null;
  readonly language: string | null;
  readonly type: string | null;
  /** With their parents. */
  readonly categories: readonly string[];
  readonly reach: number | null;
  readonly followers: number | null;
  readonly text: string;
  /** The words before the links and marks that make a copy of a text another one. */
  readonly story: string;
}

/** An alert, what people did about it, and the messages about it. */
export interface Fired {
  readonly id: string;
  readonly rule: string;
  readonly title: string;
  readonly query: string;
  readonly at: Moment;
  /** When the first person did something; one who had its incident before was there at once. */
  readonly answeredAt: Moment | null;
  /** What people said by what they did; null: nobody did anything. */
  readonly isWorthIt: boolean | null;
  readonly isOver: boolean;
  readonly messages: readonly { readonly receiver: string; readonly at: Moment }[];
  /** What it counted. */
  readonly count: number;
}

export interface InsightsWorld {
  readonly now: Moment;
  /** Of the console. */
  readonly zone: string;
  readonly queries: readonly { readonly id: string; readonly name: string; readonly zone: string }[];
  readonly said: readonly KeptMention[];
  readonly lists: readonly { readonly list: string; readonly author: string }[];
  readonly fired: readonly Fired[];
}

export interface Span {
  readonly from: Moment;
  readonly to: Moment;
}

/** The filters that an address has, as values of a mention. */
export const FILTERS: Readonly<Record<string, (one: KeptMention) => readonly (string | null)[]>> = {
  author: (one) => [one.author],
  domain: (one) => [one.domain],
  country: (one) => [one.country],
  language: (one) => [one.language],
  type: (one) => [one.type],
  category: (one) => one.categories,
  sentiment: (one) => [one.sentiment],
};

/** The mentions that an address of a page counts, of a time. */
export function saidIn(
  world: InsightsWorld,
  asked: URLSearchParams,
  { from, to }: Span,
): readonly KeptMention[] {
  const queries = queriesOf(world, asked).map(({ id }) => id);
  const filters = Object.entries(FILTERS).flatMap(([name, values]) => {
    const wanted = asked.get(name);
    return wanted === null ? [] : [{ values, wanted }];
  });
  const [list, named] = [asked.get("list"), asked.get("story")];
  const story = named === null ? null : storyOf(world, named);
  return world.said.filter(
    (one) =>
      one.at >= from &&
      one.at < to &&
      queries.includes(one.query) &&
      filters.every(({ values, wanted }) => values(one).includes(wanted)) &&
      isOn(world, list, one) &&
      (story === null || one.story === story),
  );
}

export function isOn({ lists }: InsightsWorld, list: string | null, { author }: KeptMention): boolean {
  if (list === null) return true;
  return lists.some(
    (one) =>
      one.list.toLowerCase() === list.toLowerCase() && one.author.toLowerCase() === author?.toLowerCase(),
  );
}

/** Addresses name a story by the id of one that tells it. */
function storyOf({ said }: InsightsWorld, name: string): string | undefined {
  return said.find(({ query, id, story }) => `${query} ${id}` === name || story === name)?.story;
}

export function queriesOf({ queries }: InsightsWorld, asked: URLSearchParams): InsightsWorld["queries"] {
  const named = queries.filter(({ id }) => asked.getAll("query").includes(id));
  return named.length === 0 ? queries : named;
}

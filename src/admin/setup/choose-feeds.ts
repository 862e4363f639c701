import { kindOf, kinds, type ProposedBrand } from "#feeds";
import { closestWord } from "../../lib/closest-word.ts";
import { didYouMean, UserError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { parseUrl } from "../../lib/parse-url.ts";
import { isPrivateUrl } from "../../lib/public-agent.ts";

/** A feed as it will stand in the file, and what it is, for people. */
export interface ChosenFeed {
  readonly kind: string;
  /** With `kind`. */
  readonly keys: JsonObject;
  readonly about: string;
}

/** The kinds that need no account and no address, with the keys that suit this brand. */
export function proposeFeeds(brand: ProposedBrand): readonly ChosenFeed[] {
  return kinds.flatMap(({ kind }) => {
    const { propose = () => ({}), config, about } = kindOf({ kind });
    const more = propose(brand);
    if (more === null) return [];
    const keys = { kind, ...more };
    return config.safeParse(keys).success ? [{ kind, keys, about }] : [];
  });
}

/**
 * The feeds that somebody named: kinds, and addresses of RSS, Atom or JSON feeds. Throws a UserError that lists what is
 * neither. Addresses in a private network are marked as allowed, because the person who runs Earshot typed them;
 * `refusePrivate` is for others.
 */
export function chooseFeeds(
  words: readonly string[],
  brand: ProposedBrand,
  options: { readonly refusePrivate: boolean },
): readonly ChosenFeed[] {
  const proposed = proposeFeeds(brand);
  const faults: string[] = [];
  const addresses: string[] = [];
  const named: ChosenFeed[] = [];
  for (const one of [...new Set(words)]) {
    const found = proposed.find(({ kind }) => kind === one.toLowerCase());
    const url = addressIn(one);
    if (found !== undefined) named.push(found);
    else if (url === null) faults.push(whyNot(one, proposed));
    else if (options.refusePrivate && isPrivateUrl(url))
      faults.push(
        `${one} is an address of this machine or of a private network: name it with \`earshot listen\` in a terminal of that machine, or in earshot.yaml with allowPrivateAddress: true`,
      );
    else addresses.push(url);
  }
  if (faults.length > 0) throw new UserError("not every feed is known", faults);
  return [...named, ...addressFeeds(addresses)];
}

function addressFeeds(urls: readonly string[]): readonly ChosenFeed[] {
  const groups = [
    { urls: urls.filter((url) => !isPrivateUrl(url)), more: {} },
    { urls: urls.filter(isPrivateUrl), more: { allowPrivateAddress: true } },
  ].filter((group) => group.urls.length > 0);
  const about = groups.length === 0 ? "" : kindOf({ kind: "rss" }).about;
  return groups.map(({ urls, more }) => ({ kind: "rss", keys: { kind: "rss", urls, ...more }, about }));
}

/** `blog.example/feed` is meant as an address, too. */
function addressIn(text: string): string | null {
  const whole = /^https?:\/\//i.test(text) ? text : /^[^\s/]+\.[^\s]+$/.test(text) ? `https://${text}` : null;
  return whole === null ? null : (parseUrl(whole)?.href ?? null);
}

function whyNot(word: string, proposed: readonly ChosenFeed[]): string {
  const known = kinds.find(({ kind }) => kind === word.toLowerCase());
  if (known !== undefined)
    return `${known.kind} needs keys of its own: add it to \`listen.feeds\` in earshot.yaml (docs/feeds.md)`;
  const names = proposed.map(({ kind }) => kind);
  return `"${word}" is neither an address nor one of ${names.join(", ")}${didYouMean(closestWord(word, names))}`;
}

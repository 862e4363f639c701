import { brandQuery } from "#feeds";
import { UserError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { chooseFeeds } from "./choose-feeds.ts";
import { refuseVariables, type SetupAnswers } from "./draft-setup.ts";

/** What somebody typed: on the page of the console, as flags, or as answers in a terminal. */
export interface TypedSetup {
  readonly brand: string;
  readonly spellings: readonly string[];
  readonly not: readonly string[];
  /** Empty: none. */
  readonly about: string;
  readonly rivals: readonly string[];
  readonly languages: readonly string[];
  /** Kinds that need no account, and addresses. */
  readonly feeds: readonly string[];
  /** Empty: none. */
  readonly contact: string;
  readonly timezone: string;
  readonly receiver: JsonObject | null;
}

/** The questions of a set-up, on the page and in a terminal. `example` is what somebody could type. */
export const SETUP_QUESTIONS = {
  brand: { label: "Name of the brand", example: "acme", hint: "" },
  spellings: {
    label: "What else people write",
    example: "acme corp, @acme_help",
    hint: "with commas between them",
  },
  not: {
    label: "Leave out texts with these words",
    example: "jobs, river",
    hint: "for names that also mean something else",
  },
  about: {
    label: "What it means",
    example: "the maker of kettles, not the cartoon",
    hint: "a chat model that judges relevance reads it",
  },
  rivals: { label: "Rivals", example: "rivalware", hint: "each gets a query of its own" },
  languages: { label: "Only these languages", example: "en, de", hint: "two letters each; empty: any" },
  contact: {
    label: "Your mail or web address",
    example: "press@acme.example",
    hint: "sent to the owners of the feeds, so that they can reach you",
  },
} as const;

/** Throws a UserError for what cannot be used. `refusePrivate`: the person who typed it does not run this machine. */
export function readAnswers(typed: TypedSetup, options: { readonly refusePrivate: boolean }): SetupAnswers {
  const { receiver, feeds: named, ...words } = typed;
  refuseVariables([words, named]);
  const brand = words.brand.replaceAll(/\s+/g, " ").trim();
  if (brand === "") throw new UserError("type the name of the brand");
  const languages = readLanguages(words.languages);
  const contact = readContact(words.contact);
  const spellings = readSpellings(brand, words.spellings);
  const about = { queries: [brand, ...words.rivals], spellings, languages };
  const feeds = chooseFeeds(named, about, options);
  return { ...words, brand, spellings, about: readAbout(words.about), languages, feeds, contact, receiver };
}

/** All that the query of the brand searches. */
export function readSpellings(brand: string, others: readonly string[]): readonly string[] {
  const all = [brand, ...others];
  brandQuery(all);
  return all;
}

export function readLanguages(typed: readonly string[]): readonly string[] {
  const codes = typed.map((code) => code.toLowerCase());
  const wrong = codes.find((code) => !/^[a-z]{2}$/.test(code));
  if (wrong !== undefined) throw new UserError(`languages have two letters, such as en; got "${wrong}"`);
  return codes;
}

function readAbout(typed: string): string | null {
  const about = typed.replaceAll(/\s+/g, " ").trim();
  if (about.length > LONGEST_ABOUT)
    throw new UserError(`what it means has ${LONGEST_ABOUT} characters at most`);
  return about === "" ? null : about;
}

const LONGEST_ABOUT = 500;

export function readContact(typed: string): string | null {
  const contact = typed.trim();
  if (/[^\x21-\x7e]/.test(contact))
    throw new UserError("the address for owners of feeds has blanks or other letters");
  return contact === "" ? null : contact;
}

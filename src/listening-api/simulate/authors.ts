import { z } from "zod";
import { type HomePlace, PLACES, readData } from "./data.ts";
import { createRandom, type Random } from "./random.ts";

export interface Author {
  readonly handle: string;
  readonly name: string;
  readonly followers: number;
  readonly following: number;
  readonly posts: number;
  readonly verified: "blue" | "business" | null;
  readonly gender: "female" | "male" | "unknown";
  readonly isOrganisation: boolean;
  readonly place: HomePlace;
}

const Names = z.array(z.string());

const {
  female: FEMALE,
  male: MALE,
  last: LAST,
  interests: INTERESTS,
  professions: PROFESSIONS,
} = readData(
  "people.yaml",
  z.strictObject({ female: Names, male: Names, last: Names, interests: Names, professions: Names }),
);

export { INTERESTS, PROFESSIONS };

/** How many people there are; they post repeatedly. */
const POPULATION = 6_000;

/** Somebody. The same seed and number are always the same person. */
export function someAuthor(seed: string, random: Random): Author {
  return authorByNumber(seed, Math.floor(random.next() ** 1.6 * POPULATION));
}

function authorByNumber(seed: string, number: number): Author {
  const random = createRandom(seed, "author", number);
  const gender = random.weighted([
    ["female", 4],
    ["male", 4],
    ["unknown", 2],
  ] as const);
  const first = random.pick(
    gender === "female" ? FEMALE : gender === "male" ? MALE : random.chance(0.5) ? FEMALE : MALE,
  );
  const last = random.pick(LAST);
  const followers = followersOf(random);
  return {
    handle: handleOf(first, last, random),
    name: random.chance(0.7)
      ? `${first} ${last}`
      : random.chance(0.5)
        ? first
        : `${first} ${last.charAt(0)}.`,
    followers,
    following: random.whole(20, 1_800),
    posts: random.whole(30, 40_000),
    verified: random.chance(followers > 50_000 ? 0.6 : followers > 5_000 ? 0.12 : 0.01) ? "blue" : null,
    gender,
    isOrganisation: false,
    place: random.weighted(PLACES),
  };
}

/** Most have some hundred, few have very many. */
function followersOf(random: Random): number {
  return Math.min(2_500_000, Math.floor(110 * (1 - random.next()) ** (-1 / 0.98)));
}

function handleOf(first: string, last: string, random: Random): string {
  const [f, l] = [plain(first), plain(last)];
  const tail = random.chance(0.6) ? String(random.whole(1, 99)) : "";
  return random
    .pick([
      `${f}_${l}${tail}`,
      `${f}${l}${tail}`,
      `${f}.${l.charAt(0)}${tail}`,
      `the_${f}${tail}`,
      `${l}${f.charAt(0)}${tail}`,
    ])
    .replaceAll(".", "_");
}

function plain(name: string): string {
  return name
    .normalize("NFD")
    .replaceAll(/[^A-Za-z]/g, "")
    .toLowerCase();
}

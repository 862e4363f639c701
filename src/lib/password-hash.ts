import { hash, verify } from "@node-rs/argon2";
import { atMost } from "./concurrency.ts";
import { normalized } from "./text.ts";

/** Of argon2id, as OWASP advises: 19 MB, and some 40 ms of a thread. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** `$argon2id$v=19$m=19456,t=2,p=1$SALT$KEY`, as every tool writes it. */
const NOTATION = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$[\w+/-]{11,86}\$[\w+/-]{22,86}$/;

/** A queue in which one password is hashed at a time, and few wait. Beyond that it rejects with a BusyError. */
export function createHashQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  return atMost(1, 20);
}

/** The hash to keep of a password. With a salt of the caller's it is the same each time. Works in another thread. */
export function hashPassword(password: string, salt?: Uint8Array): Promise<string> {
  return hash(typed(password), { ...COST, ...(salt !== undefined && { salt }) });
}

/** Compares in constant time, in another thread. False for a hash that is none. */
export async function isPassword(password: string, passwordHash: string): Promise<boolean> {
  return isPasswordHash(passwordHash) && (await verify(passwordHash, typed(password)));
}

/** Whether it is a hash that costs a guesser enough, and this process not too much. */
export function isPasswordHash(text: string): boolean {
  const [, memory = 0, time = 0, threads = 0] = NOTATION.exec(text)?.map(Number) ?? [];
  return memory >= 7_168 && memory <= 131_072 && time >= 1 && time <= 10 && threads >= 1 && threads <= 4;
}

/** One keyboard writes é as one character, another as two. */
function typed(password: string): string {
  return normalized(password, "NFKC");
}

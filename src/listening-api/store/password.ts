import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** 16 MiB and some 40 ms for each attempt. */
const COST: Cost = { N: 16_384, r: 8, p: 1 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/**
 * `scrypt$<N>$<r>$<p>$<salt>$<key>`, salt and key in base64url. It includes the cost, so that the cost can be raised.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

/**
 * Whether the password matches the hash. Takes equally long for a login that does not exist (`undefined`), so that the
 * duration does not reveal which logins exist.
 */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const { cost, salt, key } = readHash(hash) ?? NOBODY;
  const derived = await derive(password, salt, cost);
  const isSame = timingSafeEqual(derived, key);
  return isSame;
}

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

interface ReadHash {
  readonly cost: Cost;
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** Compared with if there is no hash. No password has this key. */
const NOBODY: ReadHash = { cost: COST, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) };

function readHash(hash: string | undefined): ReadHash | undefined {
  const [kind, N, r, p, salt = "", key = ""] = (hash ?? "").split("$");
  const read = {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64url"),
    key: Buffer.from(key, "base64url"),
  };
  return kind === "scrypt" && read.key.byteLength === KEY_BYTES ? read : undefined;
}

function derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

import { parseUrl } from "../../lib/parse-url.ts";

/** Where an engine is, as the environment gives it. */
const ENGINES = {
  DATABASE_URL: {
    name: "PostgreSQL",
    protocol: /^postgres(ql)?:$/,
    looks: "it looks like postgres://user:password@host:5432/database",
  },
  REDIS_URL: {
    name: "Redis",
    protocol: /^(rediss?|unix):$/,
    looks:
      "it looks like redis://user:password@host:6379 (rediss:// for TLS); without it the queue lives in PostgreSQL",
  },
} as const;

export interface AddressFault {
  readonly message: string;
  readonly hint: string;
}

/** What is wrong with the address of an engine, without its secrets. Null: it can be one. */
export function addressFault(variable: keyof typeof ENGINES, address: string): AddressFault | null {
  const { name, protocol, looks } = ENGINES[variable];
  // A path is a socket; ioredis takes it unchanged.
  if (variable === "REDIS_URL" && address.startsWith("/")) return null;
  const url = parseUrl(address);
  const message = `${variable} is no address of a ${name}`;
  if (url === null || !protocol.test(url.protocol)) return { message, hint: `${looks}. ${ESCAPES}` };
  const parts = { user: url.username, password: url.password, "database name": url.pathname };
  for (const [part, text] of Object.entries(parts))
    if (decoded(text) === null)
      return { message, hint: `its ${part} has a % without the code of a letter behind it. ${ESCAPES}` };
  return null;
}

const ESCAPES = "In a user or password % is written as %25, @ as %40, : as %3A, / as %2F, # as %23, ? as %3F";

/** Removes the secrets of an engine's address from a text: the address itself, and its password. */
export function withoutAddress(text: string, url: string): string {
  const password = parseUrl(url)?.password ?? "";
  const hidden = text.replaceAll(url, "[address]");
  return password === ""
    ? hidden
    : hidden.replaceAll(password, "[secret]").replaceAll(decoded(password) ?? password, "[secret]");
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

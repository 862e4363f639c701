import type { FastifyReply, FastifyRequest } from "fastify";

/** The value of a cookie, undefined when it was not sent. */
export function readCookie(request: FastifyRequest, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const [key, value] = pair.trim().split("=", 2);
    if (key === name) return value;
  }
  return undefined;
}

/** A cookie that scripts cannot read and that no other site's link or form brings along. */
export function setCookie(
  reply: FastifyReply,
  cookie: {
    readonly name: string;
    readonly value: string;
    readonly maxAgeS: number;
    readonly secure: boolean;
  },
): void {
  const attributes = [
    `${cookie.name}=${cookie.value}`,
    "Path=/",
    `Max-Age=${cookie.maxAgeS}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(cookie.secure ? ["Secure"] : []),
  ];
  reply.header("set-cookie", attributes.join("; "));
}

import type { LoginAnswer } from "#monitor";
import { formatRecord } from "./format-table.ts";
import { sanitizeJson } from "./sanitize-terminal.ts";

/** Formats the answer of a login. The token is a secret: only JSON output, made for scripts, shows it. */
export function printToken(answer: LoginAnswer, asJson: boolean, width: number): string {
  const { token, tokenType, expiresInSeconds, scopes } = answer;
  const rest = { token_type: tokenType, expires_in: expiresInSeconds, scope: scopes.join(" ") };
  if (asJson) return `${sanitizeJson({ access_token: token, ...rest }, 2)}\n`;
  return `${formatRecord({ access_token: `received, ${token.length} characters (--json shows it)`, ...rest }, width)}\n`;
}

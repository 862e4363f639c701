/** Whether a host name or address means this machine only. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|\[::1\]|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(host);
}

/** The name in a `Host` header, without its port; null if there is none, or it is unreadable. */
export function nameInHost(header: string | undefined): string | null {
  if (header === undefined || !URL.canParse(`http://${header}`)) return null;
  return new URL(`http://${header}`).hostname;
}

/**
 * Whether the header names this machine. A server on the loopback address without a login must check it: a foreign site
 * can point its own name at 127.0.0.1 and read along (DNS rebinding).
 */
export function isLoopbackHost(header: string | undefined): boolean {
  const name = nameInHost(header);
  return name !== null && isLoopback(name);
}

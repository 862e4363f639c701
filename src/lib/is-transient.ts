/**
 * Whether a failure is temporary (a connection, a lock, a full disk) and not caused by the work itself. SQLSTATE
 * classes 08, 40, 53, 55, 57 and 58 are about the server; a code of the network begins with E. If an error has
 * `retryable`, that decides.
 */
export function isTransient(error: unknown): boolean {
  for (let one = error; typeof one === "object" && one !== null; one = Reflect.get(one, "cause")) {
    if (Reflect.get(one, "isTransient") === true) return true;
    const retryable: unknown = Reflect.get(one, "retryable");
    if (typeof retryable === "boolean") return retryable;
    const code: unknown = Reflect.get(one, "code");
    if (typeof code === "string" && (/^(08|40|53|55|57|58)/.test(code) || /^E[A-Z]{3,}/.test(code)))
      return true;
    const message: unknown = Reflect.get(one, "message");
    if (
      typeof message === "string" &&
      /connection (terminated|ended|refused)|timeout exceeded|pool/i.test(message)
    )
      return true;
  }
  return false;
}

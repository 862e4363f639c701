export const ROLES_WITH_API = ["Regular", "Admin"] as const;

/** Only these two roles can use the API; all others are refused. */
export function mayUseApi(role: string): boolean {
  return ROLES_WITH_API.some((allowed) => allowed === role);
}

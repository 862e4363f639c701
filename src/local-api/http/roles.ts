const ROLES_WITH_API = ["Regular", "Admin"] as const;

/** Only these two roles can use the API; all others are refused. */
export function mayUseApi(role: string): boolean {
  return ROLES_WITH_API.some((allowed) => allowed === role);
}

export const ONLY_REGULAR_AND_ADMIN = "Only users with the role Regular or Admin can use the API.";

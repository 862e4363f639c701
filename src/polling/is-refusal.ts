/** Whether a server says with its answer that it does not take what it was given: not now, and not later. */
export function isRefusal(error: unknown): boolean {
  const { status } = (error ?? {}) as { readonly status?: number | null };
  return typeof status === "number" && REFUSALS.has(status);
}

const REFUSALS = new Set([400, 404, 410, 422]);

/** Whether the answer refuses what was sent, now and later. */
export function isRefusal(error: unknown): boolean {
  const { status } = (error ?? {}) as { readonly status?: number | null };
  return typeof status === "number" && REFUSALS.has(status);
}

const REFUSALS = new Set([400, 404, 410, 422]);

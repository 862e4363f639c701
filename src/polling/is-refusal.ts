/** Whether an answer with this status refuses what was sent, now and later. */
export function isRefusal({ status }: { readonly status: number | null }): boolean {
  return status !== null && REFUSALS.has(status);
}

const REFUSALS = new Set([400, 404, 410, 422]);

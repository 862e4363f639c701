/** If a worker dies, what it has claimed is free again after this. Renewed while it works. */
export const LEASE_SECONDS = 8;

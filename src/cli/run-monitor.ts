export async function runMonitor(..._: unknown[]): Promise<void> {}

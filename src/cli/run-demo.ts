export async function runDemo(..._: unknown[]): Promise<void> {}

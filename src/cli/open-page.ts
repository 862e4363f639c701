export async function openPage(..._: unknown[]): Promise<{ url: string; close(): Promise<void> }> {
  return { url: "", close: async () => {} };
}

declare module "wawoff2" {
  /** A font as it was before it was made small for the web. */
  export function decompress(bytes: Uint8Array): Promise<Uint8Array>;
}

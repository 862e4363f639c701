import { z } from "zod";

/** An http or https address in a file that people write. */
export const HttpAddress = z
  .url({ protocol: /^https?$/, error: "expected an address that begins with https:// or http://" })
  .meta({
    pattern: "^\\s*[hH][tT][tT][pP][sS]?:",
    patternErrorMessage: "expected an address that begins with https:// or http://",
  });

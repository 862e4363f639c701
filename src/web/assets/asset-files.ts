import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ICON } from "./icon.ts";
import { LIVE_SCRIPT } from "./live-script.ts";
import { STYLES } from "./styles.ts";

/** A file that pages load. Its address changes with its content, so browsers may keep it for ever. */
export interface AssetFile {
  readonly address: string;
  readonly path: string;
  readonly type: string;
  readonly content: string;
}

const require = createRequire(import.meta.url);

export const STYLESHEET = asset("/assets/console.css", "text/css", STYLES);

/** In the order in which they have to run. */
export const SCRIPTS: readonly AssetFile[] = [
  asset(
    "/assets/htmx.js",
    "text/javascript",
    readFileSync(require.resolve("htmx.org/dist/htmx.min.js"), "utf8"),
  ),
  asset("/assets/live.js", "text/javascript", LIVE_SCRIPT),
  asset(
    "/assets/sse.js",
    "text/javascript",
    readFileSync(require.resolve("htmx-ext-sse/dist/sse.min.js"), "utf8"),
  ),
];

export const ASSET_FILES: readonly AssetFile[] = [
  STYLESHEET,
  ...SCRIPTS,
  asset("/assets/icon.svg", "image/svg+xml", ICON),
];

function asset(path: string, type: string, content: string): AssetFile {
  const version = createHash("sha256").update(content).digest("hex").slice(0, 12);
  return { path, address: `${path}?v=${version}`, type: `${type}; charset=utf-8`, content };
}

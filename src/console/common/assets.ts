import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { shippedFolder } from "../../lib/folders.ts";

/** A file that pages load. Its address changes with its content, so browsers may cache it for ever. */
interface AssetFile {
  /** `/assets/console.css?v=…` */
  readonly address: string;
  readonly path: string;
  readonly file: string;
}

const require = createRequire(import.meta.url);
export const ASSETS_FOLDER = shippedFolder("src/console/assets");

export const STYLESHEET = asset("/assets/console.css", join(ASSETS_FOLDER, "console.css"));

export const HTMX = asset("/assets/htmx.js", require.resolve("htmx.org/dist/htmx.min.js"));

/** In the order in which they must run. */
export const SCRIPTS: readonly AssetFile[] = [
  HTMX,
  asset("/assets/live.js", join(ASSETS_FOLDER, "live.js")),
  asset("/assets/sse.js", require.resolve("htmx-ext-sse/dist/sse.min.js")),
];

/** Only for pages with an editor of rules. */
export const EDITOR_SCRIPT = asset("/assets/rule-editor.js", join(ASSETS_FOLDER, "rule-editor.js"));

/** Only for pages with charts that a reader points at. */
export const CHART_SCRIPT = asset("/assets/chart.js", join(ASSETS_FOLDER, "chart.js"));

/** Only for lists of mentions that a reader works on. */
export const WORKFLOW_SCRIPT = asset("/assets/workflow.js", join(ASSETS_FOLDER, "workflow.js"));

const ICON = asset("/assets/icon.svg", join(ASSETS_FOLDER, "icon.svg"));

/** All that are served. */
export const ASSETS: readonly AssetFile[] = [
  STYLESHEET,
  ...SCRIPTS,
  EDITOR_SCRIPT,
  CHART_SCRIPT,
  WORKFLOW_SCRIPT,
  ICON,
];

function asset(path: string, file: string): AssetFile {
  const version = createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 12);
  return { path, address: `${path}?v=${version}`, file };
}

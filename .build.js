import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";

// Builds dist/ from src/ and workers/ (npm run build): a few files in place of 1,500 modules, which take a second to
// read at every start. Types are checked elsewhere (npm run types).

const ROOT = import.meta.dirname;

/** Packages that stay in node_modules: they have machine code, or are only there in development. */
export const EXTERNAL = [
  "@node-rs/argon2",
  "@resvg/resvg-js",
  "msgpackr-extract",
  "pg-native",
  "playwright-core",
  "sodium-native",
];

const UNDICI = createRequire(import.meta.url).resolve("undici");

/** Lines of packages are of no use in a stack trace, and their maps take a tenth of a second to read. */
const EMPTY_MAP = Buffer.from('{"version":3,"sources":[""],"mappings":"A"}').toString("base64");

/** @type {import("esbuild").Plugin} */
export const packages = {
  name: "packages",
  setup({ onLoad, onResolve }) {
    // Of undici our own code uses only the HTTP client: its fetch, WebSocket and mocks would be a tenth of a worker's
    // start. Packages get all of it (Slack's sockets need it), on the same inner modules.
    onResolve({ filter: /^undici$/ }, ({ importer }) =>
      importer.includes("node_modules")
        ? undefined
        : { path: UNDICI, pluginData: { isClient: true }, suffix: "?client" },
    );
    onLoad({ filter: /[\\/]undici[\\/]index\.js$/ }, async ({ path, pluginData }) =>
      pluginData?.isClient === true ? { contents: await readFile(path, "utf8"), pluginData } : undefined,
    );
    onResolve({ filter: /^\.\/lib\/(?:web|mock)\// }, ({ path, pluginData }) =>
      pluginData?.isClient === true ? { path, namespace: "left-out" } : undefined,
    );
    // zod's messages in fifty languages; ours are in English.
    onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes("/zod/") ? { path: join(importer, "../../locales/en.js") } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "left-out" }, () => ({ contents: "exports.CacheStorage = class {};" }));
    // Of a CommonJS package that is imported on demand, a bundle has the default export only, and not its names as Node
    // has: @fastify/cookie does that, and could set no cookie.
    onResolve({ filter: /^cookie$/ }, ({ kind, path, resolveDir }) =>
      kind === "dynamic-import" ? { path, namespace: "with-names", pluginData: resolveDir } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "with-names" }, ({ path, pluginData: resolveDir }) => {
      const names = Object.keys(createRequire(join(resolveDir, "index.js"))(path));
      return { contents: `export { ${names.join(", ")} } from "${path}";`, resolveDir };
    });
    onLoad({ filter: /node_modules.*\.[cm]?js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      return { contents: `${source}\n//# sourceMappingURL=data:application/json;base64,${EMPTY_MAP}` };
    });
  },
};

/**
 * Imports through the door of a room (`#monitor`) become imports of the files behind it. Through the door, whoever needs
 * one name of a room would reach, and load, all of it.
 *
 * @type {import("esbuild").Plugin}
 */
export const doors = {
  name: "doors",
  setup({ onLoad }) {
    const rooms = new Map();
    onLoad({ filter: /[\\/](?:src|workers)[\\/].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = source.replaceAll(
        /^import \{([^}]*)\} from "#([a-z-]+)";$/gm,
        (statement, names, room) => {
          if (!rooms.has(room)) rooms.set(room, behindDoor(room));
          const lines = importsOf(names, rooms.get(room), room);
          return `${lines.join(" ")}${"\n".repeat(statement.split("\n").length - 1)}`;
        },
      );
      return { contents, loader: "ts" };
    });
  },
};

/**
 * The file of each name that the door of a room shows.
 *
 * @param {string} room
 */
function behindDoor(room) {
  const door = readFileSync(join(ROOT, "src", room, "index.ts"), "utf8");
  const exports = door.matchAll(/^export (?:type )?\{([^}]*)\} from "\.\/([^"]+)";$/gm);
  return new Map(
    [...exports].flatMap(([, names = "", file = ""]) =>
      namesIn(names).map((name) => [name.replace(/^type /, ""), join(ROOT, "src", room, file)]),
    ),
  );
}

/**
 * @param {string} names
 * @param {ReadonlyMap<string, string>} files
 * @param {string} room
 */
function importsOf(names, files, room) {
  return namesIn(names)
    .filter((name) => !name.startsWith("type "))
    .map((name) => {
      const file = files.get(name.replace(/ as .*$/, ""));
      if (file === undefined) throw new Error(`src/${room}/index.ts does not export ${name}`);
      return `import { ${name} } from ${JSON.stringify(file)};`;
    });
}

/** @param {string} list */
function namesIn(list) {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/**
 * Bundles entries (paths from the root of the repository) and the files of threads into a folder, under the same paths.
 * What several of them need, or is imported on demand, goes to `chunks/`.
 *
 * @param {readonly string[]} entries
 * @param {string} folder
 * @param {{ write?: boolean }} options `write: false` only looks at what would be in it
 */
export async function bundle(entries, folder, { write = true } = {}) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...entries, ...threads()],
    outbase: ROOT,
    outdir: folder,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    define: {
      // msgpackr looks for machine code for reading; BullMQ only writes with it.
      "process.env.MSGPACKR_NATIVE_ACCELERATION_DISABLED": '"true"',
      // Node has it from 21 on. Without it, pg loads the whole `fetch` of Node 20 to find out that this is no Cloudflare:
      // a tenth of a worker's start.
      navigator: '{ "userAgent": "Node.js" }',
    },
    external: EXTERNAL,
    minifyWhitespace: true,
    minifySyntax: true,
    // Node shows the line of an error that nobody caught.
    lineLimit: 200,
    sourcemap: true,
    sourcesContent: false,
    plugins: [doors, packages],
    // Packages in CommonJS ask for `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    write,
    metafile: true,
    logLevel: "error",
  });
  return metafile;
}

/** What src/lib/worker-pool.ts starts as threads. */
function threads() {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith("-thread.ts")).map((file) => join("src", file));
}

/** Builds `dist/` unless it is of these sources. */
export async function buildDist() {
  const sources = fingerprint();
  const stamp = join(ROOT, "dist", ".built");
  if ((await readFile(stamp, "utf8").catch(() => "")) === sources) return;
  await mkdir(join(ROOT, "dist"), { recursive: true });
  const workers = readdirSync(join(ROOT, "workers")).filter((file) => file.endsWith(".ts"));
  const { outputs } = await bundle(
    ["src/cli/main.ts", ...workers.map((file) => `workers/${file}`)],
    join(ROOT, "dist"),
  );
  await writeFile(stamp, sources);
  await removeOldChunks(new Set(Object.keys(outputs)));
}

/** Changes with every change of a source or of the packages. */
function fingerprint() {
  const folders = ["src", "workers"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  const files = [...folders, ".build.js", "package-lock.json"];
  const newest = Math.max(...files.map((file) => statSync(join(ROOT, file)).mtimeMs));
  return `${files.length} files, newest ${newest}`;
}

/**
 * A process that runs an earlier build may still import its chunks on demand: they stay for a day.
 *
 * @param {ReadonlySet<string>} current
 */
async function removeOldChunks(current) {
  const dayAgo = performance.timeOrigin - 24 * 3_600_000;
  for (const file of await readdir(join(ROOT, "dist", "chunks"))) {
    const path = join(ROOT, "dist", "chunks", file);
    const isOld = !current.has(`dist/chunks/${file}`) && (await stat(path)).mtimeMs < dayAgo;
    if (isOld) await rm(path);
  }
}

if (process.argv[1] === import.meta.filename) await buildDist();

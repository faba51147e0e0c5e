/**
 * Builds the panel's page for browsers: `service/dist/panel/files` gets scripts and styles named by their content, each
 * also compressed by gzip and Brotli, and the index page that loads them.
 */
import { build, type BuildOptions, type Metafile } from "esbuild"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { ROOT, SOURCE } from "./workspace.ts"

const WEB = "service/panel/web"
const FILES = "service/dist/panel/files"

const options = (root: string) =>
  ({
    absWorkingDir: root,
    entryPoints: { panel: `${WEB}/main.tsx`, styles: `${WEB}/styles/main.css`, icon: `${WEB}/icon.svg` },
    outdir: FILES,
    entryNames: "[name].[hash]",
    chunkNames: "[name].[hash]",
    // The published types describe the path of earlier versions.
    alias: { "@novnc/novnc/lib/rfb": "@novnc/novnc" },
    loader: { ".svg": "copy" },
    bundle: true,
    splitting: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    tsconfig: `${WEB}/tsconfig.json`,
    conditions: [SOURCE],
    legalComments: "none",
    logLevel: "warning",
    metafile: true
  }) satisfies BuildOptions

/** The scripts that the first page needs: the entry, and what it imports statically. */
const firstLoad = ({ outputs }: Metafile, entry: string): ReadonlyArray<string> => {
  const found = new Set([entry])
  for (const path of found) {
    for (const { kind, path: imported } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") found.add(imported)
    }
  }
  return [...found]
}

const page = (scripts: ReadonlyArray<string>, styles: string, icon: string): string => {
  const [entry = "", ...others] = scripts.map((path) => `/panel/assets/${basename(path)}`)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Panel</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="/panel/assets/${basename(icon)}">
    <link rel="stylesheet" href="/panel/assets/${basename(styles)}">
${
    others.map((path) => `    <link rel="modulepreload" href="${path}">\n`).join("")
  }    <script type="module" src="${entry}"></script>
  </head>
  <body>
    <noscript>The panel needs JavaScript. The API at /docs and the vps command work without it.</noscript>
    <div id="app"></div>
  </body>
</html>
`
}

/** Returns what the bundles consist of, for the licenses. */
export const buildPanel = async (root = ROOT): Promise<Metafile> => {
  rmSync(join(root, FILES), { recursive: true, force: true })
  mkdirSync(join(root, FILES), { recursive: true })
  const { metafile } = await build(options(root))
  const outputs = Object.entries(metafile.outputs)
  const made = (source: string) => outputs.find(([, { entryPoint }]) => entryPoint === `${WEB}/${source}`)?.[0] ?? ""
  const index = page(firstLoad(metafile, made("main.tsx")), made("styles/main.css"), made("icon.svg"))
  writeFileSync(join(root, FILES, "index.html"), index)
  for (const path of [...outputs.map(([path]) => path), `${FILES}/index.html`]) {
    const plain = readFileSync(join(root, path))
    writeFileSync(join(root, `${path}.gz`), gzipSync(plain, { level: 9 }))
    writeFileSync(join(root, `${path}.br`), brotliCompressSync(plain))
  }
  return metafile
}

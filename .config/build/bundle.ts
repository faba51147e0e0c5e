/** The settings that all bundles share, and the ways in which a bundle leaves out modules of ours. */
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild"
import { relative } from "node:path"
import { agentOnly, portable, refuseRequire, UNDICI } from "./undici.ts"
import { throwOnOldNode } from "./entryChecks.ts"
import { makeAscii } from "./modules.ts"
import { type Folder, moduleOf, placeIn, ROOT, SOURCE } from "./workspace.ts"

/** A static import of a module that an older Node.js lacks would fail before the version is checked. */
const lateSqlite: Plugin = {
  name: "late-sqlite",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^node:sqlite$/ }, () => ({ path: "node:sqlite", namespace: "late-sqlite" }))
    const contents = "module.exports = process.getBuiltinModule(\"node:sqlite\")"
    onLoad({ filter: /./, namespace: "late-sqlite" }, () => ({ contents }))
  }
}

/** Some dependencies (ws) are CommonJS and call `require` for modules of Node. */
export const REQUIRE = "import{createRequire as __c}from\"node:module\";const require=__c(import.meta.url);"

/** For programs that every command loads: comments and spaces are a tenth of the load time. Names are not minified. */
export const SMALL = { minifySyntax: true, minifyWhitespace: true } satisfies BuildOptions

/**
 * For programs of which parts are loaded on demand: such a part is a chunk, and so is what it shares with the rest.
 * With two copies of a module in a process, what one makes may be unreadable to the other, such as a secret.
 */
export const SPLIT = { splitting: true, chunkNames: "chunks/[name]-[hash]" } satisfies BuildOptions

export const SHARED = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  conditions: [SOURCE],
  // Names are not minified, so that stack traces are readable; minifying them would not shorten the start-up.
  minify: false,
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  allowOverwrite: true,
  define: UNDICI
} satisfies BuildOptions

/** Leaves modules out of a bundle. `pathOf` says how the bundle imports a module by its path, if it does. */
export const leavingOut = (pathOf: (module: string) => string | undefined): Plugin => ({
  name: "leaving-out",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^([.#]|@pulumi-vps\/|pulumi-vps\/)/ }, ({ importer, kind, path }) => {
      if (kind === "entry-point") return undefined
      const module = moduleOf(relative(ROOT, importer), path)
      const external = module === undefined ? undefined : pathOf(module)
      return external === undefined ? undefined : { path: external, external: true }
    })
  }
})

/** Modules of a package that are files of their own: programs load them on demand, or have one copy of them. */
export const ownFiles = (folder: Folder, alias: string, modules: ReadonlyArray<string>): Plugin => {
  const own = new Set(modules)
  return leavingOut((module) => own.has(module) ? `${alias}/${placeIn(folder, module)}` : undefined)
}

export interface Bundle extends
  Pick<
    BuildOptions,
    "chunkNames" | "define" | "external" | "minifySyntax" | "minifyWhitespace" | "splitting" | "plugins"
  >
{
  readonly banner?: { readonly js: string }
  /** Entries that share modules: what several of them use is a chunk, so a program has one copy of it. */
  readonly entries: ReadonlyArray<string>
  /** True if users bundle it: it may not call `require`. */
  readonly isPortable?: boolean
  /** The name in the error of an older Node.js, and the version needed. Commands check it before they are loaded. */
  readonly needs?: readonly [name: string, version: string]
}

/** Writes a bundle into the `dist` of a package, each entry at its place there. */
export const writeBundle = async (
  folder: Folder,
  { banner = { js: REQUIRE }, entries, isPortable = false, needs, plugins = [], ...own }: Bundle
): Promise<Metafile> => {
  const { plugins: more = [], ...users } = isPortable ? portable() : {}
  const { metafile } = await build({
    ...SHARED,
    ...own,
    banner: { js: (needs === undefined ? "" : throwOnOldNode(...needs)) + (isPortable ? "" : banner.js) },
    ...users,
    entryPoints: entries.map((entry) => ({ in: `${entry}.ts`, out: placeIn(folder, entry) })),
    outdir: `${folder}/dist`,
    plugins: [agentOnly, lateSqlite, ...plugins, ...more]
  })
  for (const output of Object.keys(metafile.outputs)) {
    if (isPortable) refuseRequire(ROOT + output)
    makeAscii(ROOT + output)
  }
  return metafile
}

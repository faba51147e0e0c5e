/** The client for programs in CommonJS, and for runtimes without Node.js. */
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild"
import { dirname, join, relative } from "node:path"
import { leavingOut, SHARED } from "./bundle.ts"
import { throwOnOldNode } from "./entryChecks.ts"
import { makeAscii } from "./modules.ts"
import { agentOnly, UNDICI } from "./undici.ts"
import { type Folder, placeIn, ROOT } from "./workspace.ts"

/** A build in CommonJS imports the others by their paths: Node.js finds no names that begin with # beside them. */
const apart = (folder: Folder, entry: string, entries: ReadonlyArray<string>): Plugin =>
  leavingOut((module) => {
    if (module === entry || !entries.includes(module)) return undefined
    const path = relative(dirname(placeIn(folder, entry)), `${placeIn(folder, module)}.js`)
    return path.startsWith(".") ? path : `./${path}`
  })

/**
 * The same clients in CommonJS, for programs that cannot require an ES module, such as tests of Jest, and those that
 * are bundled from `require`. Node.js itself loads the ES modules, also by `require`: a process has one copy.
 * @param entries entries, what those share, and what they load on demand
 */
export const buildCommonJs = async (
  folder: Folder,
  entries: ReadonlyArray<string>,
  needs: readonly [name: string, version: string]
): Promise<ReadonlyArray<Metafile>> =>
  Promise.all(entries.map(async (entry) => {
    const outfile = `${folder}/dist/commonjs/${placeIn(folder, entry)}.js`
    const { metafile } = await build({
      ...SHARED,
      minifySyntax: true,
      minifyWhitespace: true,
      format: "cjs",
      banner: { js: throwOnOldNode(...needs) },
      // Jest has no `import()`.
      supported: { "dynamic-import": false },
      define: { ...UNDICI, "import.meta.url": "undefined" },
      entryPoints: [`${entry}.ts`],
      outfile,
      external: ["@pulumi/pulumi"],
      plugins: [agentOnly, apart(folder, entry, entries)]
    })
    makeAscii(join(ROOT, outfile))
    return metafile
  }))

/** `fetch` takes the place of undici, and there are no schemas. */
const withoutNode: Plugin = {
  name: "without-node",
  setup: ({ onLoad }) => {
    onLoad({ filter: /chain[\\/]DispatcherTransport\.ts$/ }, () => ({
      contents: "export { fetchOnly as dispatcherTransport } from \"./FetchTransport.ts\"",
      resolveDir: join(ROOT, "sdk/client/chain"),
      loader: "ts"
    }))
    onLoad({ filter: /chain[\\/]LoadStrict\.ts$/ }, () => ({
      contents: "export const loadInspect = async () => { throw new Error(\"the fetch entry has no schemas\") }",
      loader: "ts"
    }))
  }
}

/** The client for runtimes without Node.js. Fails if a module of Node.js is left: none would be resolved. */
export const buildFetchEntry = async (options: BuildOptions, sharing: Plugin): Promise<Metafile> => {
  const outfile = "sdk/dist/fetch.js"
  const { metafile } = await build({
    ...options,
    ...SHARED,
    platform: "neutral",
    target: "es2022",
    mainFields: ["module", "main"],
    entryPoints: ["sdk/index.ts"],
    outfile,
    plugins: [withoutNode, sharing]
  })
  makeAscii(join(ROOT, outfile))
  return metafile
}

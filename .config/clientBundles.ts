/** The bundles of the client: they contain the parts of undici that it uses, and users can bundle them again. */
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { CLIENTS, throwOnOldNode } from "./entryChecks.ts"
import { makeAscii } from "./publishedFiles.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** undici's own switch, which Node.js uses, too: without its second, experimental parser. */
export const UNDICI = { esbuildDetection: "1" }

const REFUSE = "module.exports = () => { throw new Error(\"The client does not use this protocol\") }"

/** The client uses the agents and the connector of undici. The rest would take a fifth of the run time of `vps`. */
export const agentOnly: Plugin = {
  name: "agent-only",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "agent-only" }))
    const contents = [
      "exports.Agent = require(\"undici/lib/dispatcher/agent.js\")",
      "exports.buildConnector = require(\"undici/lib/core/connect.js\")",
      "exports.Pool = require(\"undici/lib/dispatcher/pool.js\")",
      "exports.ProxyAgent = require(\"undici/lib/dispatcher/proxy-agent.js\")",
      // The main file of undici adds the calls to the dispatchers; a proxy needs this one for a tunnel.
      "require(\"undici/lib/dispatcher/dispatcher.js\").prototype.connect = require(\"undici/lib/api/api-connect.js\")"
    ].join("\n")
    onLoad({ filter: /./, namespace: "agent-only" }, () => ({ contents, resolveDir: root }))
    // The client speaks HTTP/1.1, and refuses proxies that speak SOCKS.
    onLoad({ filter: /undici[\\/]lib[\\/]dispatcher[\\/](client-h2|socks5-proxy-agent)\.js$/ }, () => ({
      contents: REFUSE
    }))
  }
}

const REQUIRED = /\brequire\(["']node:([\w/]+)["']\)/g

const nameOf = (module: string): string => `__node_${module.replaceAll("/", "_")}`

/**
 * Modules of Node.js that undici requires become static imports. Users' bundlers understand those, but not a `require`
 * made by `createRequire(import.meta.url)`: in a CommonJS bundle, `import.meta` is empty.
 */
const staticBuiltins: Plugin = {
  name: "static-builtins",
  setup: ({ onLoad }) => {
    onLoad({ filter: /node_modules[\\/]undici[\\/].*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll(REQUIRED, (_, module: string) => nameOf(module)),
      loader: "js"
    }))
  }
}

/** The imports that replace them, in a file that is pruned with all others. A bundle keeps those that it uses. */
const writeBuiltins = (): string => {
  const path = `${root}dist/builtins.js`
  const sources = globSync("node_modules/undici/lib/**/*.js", { cwd: root })
  const texts = sources.map((source) => readFileSync(`${root}${source}`, "utf8"))
  const modules = new Set(texts.flatMap((text) => [...text.matchAll(REQUIRED)].map(([, module = ""]) => module)))
  const lines = [...modules].toSorted().map((name) => `export { default as ${nameOf(name)} } from "node:${name}"`)
  writeFileSync(path, `${lines.join("\n")}\n`)
  return path
}

/** The settings of a bundle that users bundle again. */
export const portable = () => ({
  inject: [writeBuiltins()],
  plugins: [staticBuiltins],
  // On a line of its own: publint takes a last line with `//` in a string for a comment, and the file for CommonJS.
  footer: { js: "export {}" }
})

/** A `require` that is left in such a bundle would fail only in users' programs. */
export const refuseRequire = (path: string): void => {
  if (/\b__require\(/.test(readFileSync(path, "utf8"))) throw new Error(`${path} calls require`)
}

/**
 * The same clients in CommonJS, for programs that cannot require an ES module, such as tests of Jest, and those that
 * are bundled from `require`. Node.js itself loads the ES modules, also by `require`: a process has one copy.
 */
export const buildCommonJs = async (
  options: BuildOptions,
  entries: ReadonlyArray<string>,
  apart: (entry: string) => Plugin
): Promise<ReadonlyArray<Metafile>> =>
  Promise.all(entries.map(async (entry) => {
    const { metafile } = await build({
      ...options,
      absWorkingDir: root,
      metafile: true,
      format: "cjs",
      banner: { js: throwOnOldNode("pulumi-vps", CLIENTS) },
      // Jest has no `import()`.
      supported: { "dynamic-import": false },
      define: { ...UNDICI, "import.meta.url": "undefined" },
      entryPoints: [`${entry}.ts`],
      outdir: "dist/commonjs",
      outbase: root,
      external: ["@pulumi/pulumi"],
      plugins: [agentOnly, apart(entry)]
    })
    makeAscii(`${root}dist/commonjs/${entry}.js`)
    return metafile
  }))

/** `fetch` takes the place of undici, and there are no schemas. */
const withoutNode: Plugin = {
  name: "without-node",
  setup: ({ onLoad }) => {
    onLoad({ filter: /chain[\\/]DispatcherTransport\.ts$/ }, () => ({
      contents: "export { fetchOnly as dispatcherTransport } from \"./FetchTransport.ts\"",
      resolveDir: `${root}sdk/client/chain`,
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
  const outfile = "dist/sdk/fetch.js"
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    metafile: true,
    platform: "neutral",
    target: "es2022",
    mainFields: ["module", "main"],
    banner: {},
    entryPoints: ["sdk/index.ts"],
    outfile,
    plugins: [withoutNode, sharing]
  })
  makeAscii(`${root}${outfile}`)
  return metafile
}

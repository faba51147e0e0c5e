/** Bundles of the client contain the parts of undici that it uses, and users can bundle them again. */
import type { Plugin } from "esbuild"
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { ROOT } from "./workspace.ts"

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
    onLoad({ filter: /./, namespace: "agent-only" }, () => ({ contents, resolveDir: ROOT }))
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

/** The imports that replace them, in a file for the bundler. A bundle keeps those that it uses. */
const writeBuiltins = (): string => {
  const path = join(ROOT, "node_modules/.cache/pulumi-vps/builtins.js")
  mkdirSync(dirname(path), { recursive: true })
  const sources = globSync("node_modules/undici/lib/**/*.js", { cwd: ROOT })
  const texts = sources.map((source) => readFileSync(join(ROOT, source), "utf8"))
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

/**
 * Builds `dist`: the compiler emits every folder unchanged, with declarations; then each program whose start-up time
 * matters is replaced by one bundled file, and modules that only bundles use are deleted. With `--if-stale`: only when
 * a source is newer than `dist`.
 */
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { agentOnly, buildCommonJs, buildFetchEntry, portable, refuseRequire, UNDICI } from "./clientBundles.ts"
import { configSchema } from "./configSchema.ts"
import { CLIENTS, exitOnOldNode, SERVICE, throwOnOldNode, writePeerEntries } from "./entryChecks.ts"
import { componentsOf, writeNotices } from "./notices.ts"
import { buildPanel } from "./panel.ts"
import { makeAscii, pluginFiles, prune, TERRAFORM_FILES, writeDeclarations } from "./publishedFiles.ts"

interface Entry {
  readonly types: string
  readonly default: string
  /** For CommonJS. */
  readonly require?: object
}

const root = fileURLToPath(new URL("..", import.meta.url))
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string | Entry>>
  readonly bin: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

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
const REQUIRE = "import{createRequire as __c}from\"node:module\";const require=__c(import.meta.url);"

const TIME = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "clearImmediate"]
const captured = TIME.map((name) => [name, `__${name}`] as const)

/** Captures the timers when the bundle is loaded: a test's fake timers must not affect the emulator. */
const realTime = {
  banner: { js: `${REQUIRE}const{${captured.map(([name, own]) => `${name}:${own}`).join()}}=globalThis;` },
  define: {
    ...UNDICI,
    ...Object.fromEntries(captured.flatMap(([name, own]) => [[name, own], [`globalThis.${name}`, own]]))
  }
}

/** For programs that every command loads: comments and spaces are a tenth of the load time. Names are not minified. */
const small = { minifySyntax: true, minifyWhitespace: true } satisfies BuildOptions

/**
 * For programs of which parts are loaded on demand: such a part is a chunk, and so is what it shares with the rest.
 * With two copies of a module in a process, what one makes may be unreadable to the other, such as a secret.
 */
const split = { splitting: true, chunkNames: "service/chunks/[name]-[hash]" } satisfies BuildOptions

type Options = "banner" | "chunkNames" | "define" | "external" | "minifySyntax" | "minifyWhitespace" | "splitting"

interface Bundle extends Pick<BuildOptions, Options> {
  /** Entries that share modules: what several of them use is a chunk, so a program has one copy of it. */
  readonly entries: ReadonlyArray<string>
  /** True if users bundle it: it may not call `require`. */
  readonly isPortable?: boolean
  /** True if other entries of the package use the same classes. */
  readonly shares?: boolean
  /** The name in the error of an older Node.js, and the version needed. Commands check it before they are loaded. */
  readonly needs?: readonly [name: string, version: string]
}

/**
 * The modules that several programs load on demand, each bundled with what it needs. Those of the service have nothing
 * in common with it; others are chunks of its programs.
 */
const LAZY = [
  "sdk/cli/output/Yaml",
  "sdk/client/chain/Agent",
  "sdk/client/chain/Strict",
  "provider/orphans/Orphans",
  "provider/orphans/States",
  "provider/runtime",
  "service/http/system/ReferenceScript",
  "service/mail/Smtp",
  "service/people/WebAuthn",
  "service/persistence/postgres/Library"
]

/** Modules of which a program has only one copy: `instanceof` works, even if two entries export the class. */
const SHARED = new Set([
  "sdk/index",
  "sdk/client/errors/ApiErrors",
  "sdk/client/errors/Errors",
  "sdk/testing/EmulatorError",
  "service/Embedded"
])

/** The modules of clients that programs in CommonJS load: entries, what those share, and what they load on demand. */
const COMMON_JS = [
  "sdk/index",
  "sdk/client/errors/ApiErrors",
  "sdk/client/errors/Errors",
  "provider/index",
  "provider/pulumi",
  ...LAZY.filter((entry) => /^(sdk\/client|provider\/runtime)/.test(entry))
]

/** Leaves modules out of a bundle. `pathOf` says how the bundle imports a module by its file, if it does. */
const leavingOut = (pathOf: (file: string) => string | undefined): Plugin => ({
  name: "leaving-out",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[.#]/ }, ({ kind, path, resolveDir }) => {
      const file = path.startsWith("#") ? path.slice(1) : relative(root, join(resolveDir, path)).replace(/\.ts$/, "")
      const external = kind === "entry-point" ? undefined : pathOf(file)
      return external === undefined ? undefined : { path: external, external: true }
    })
  }
})

/** Leaves shared modules out of a bundle of the SDK. */
const sharing = leavingOut((file) => SHARED.has(file) ? `#${file}` : undefined)

/** A build in CommonJS imports the others by their paths: Node.js finds no names that begin with # beside them. */
const apart = (entry: string): Plugin =>
  leavingOut((file) =>
    file !== entry && COMMON_JS.includes(file) ? `./${relative(dirname(entry), file)}.js` : undefined
  )

/** Pulumi's SDK must be the one that the user's program loads. */
const PULUMI = { external: ["@pulumi/pulumi"] } satisfies BuildOptions

/** The bundled programs, with the reason. Output: `dist/<entry>.js`, and its chunks. */
const BUNDLES: Array<Bundle> = [
  // Loading hundreds of files of effect takes longer than the rest of the start-up. The commands of operators are a
  // program of their own, so that the service does not load them (service/bin.ts); it shares the files of effect.
  { entries: ["service/main", "service/admin/cli/main"], ...split },
  // The same for tests that start the service in their own process. The client is the one that the test imports.
  { entries: ["service/Embedded"], needs: ["pulumi-vps/testing", SERVICE], ...realTime, ...split },
  // So that it needs no other package, and is loaded sooner.
  { entries: ["sdk/index"], needs: ["pulumi-vps", CLIENTS], ...small, shares: true, isPortable: true },
  { entries: ["sdk/testing/Start"], ...small, shares: true },
  // Users wait for it at every command.
  { entries: ["sdk/cli/main"], ...small },
  // So that they need no other package than Pulumi's SDK. A program may use both: its classes are the same.
  {
    entries: ["provider/index", "provider/pulumi"],
    needs: ["pulumi-vps/provider", CLIENTS],
    ...PULUMI,
    ...small,
    splitting: true,
    chunkNames: "provider/chunks/[name]-[hash]",
    isPortable: true
  },
  // Among them the provider's runtime, which is loaded again in every phase of every `pulumi` command.
  ...LAZY.map((entry) => ({
    entries: [entry],
    ...(entry === "provider/runtime" ? { needs: ["pulumi-vps/provider", CLIENTS], ...PULUMI } as const : {}),
    ...small,
    isPortable: /^(sdk\/client|provider)\//.test(entry)
  }))
]

/** Files that are executed by their path, with their names and the Node.js that they need. */
const EXECUTABLES = [
  ["service/bin", "vps-service", SERVICE],
  ["sdk/cli/bin", "vps", CLIENTS]
] as const

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  conditions: ["pulumi-vps-source"],
  banner: { js: REQUIRE },
  // Names are not minified, so that stack traces are readable; minifying them would not shorten the start-up.
  minify: false,
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  allowOverwrite: true,
  define: UNDICI
} satisfies BuildOptions

/** Touched by every successful build. Outside of `dist`, which is published. */
const stamp = `${root}node_modules/.cache/pulumi-vps/built`
const SOURCES = [
  "{sdk,service,provider}/**/*.{ts,tsx,css,svg,json}",
  ".config/*.{ts,json}",
  "{package,tsconfig}.json"
]

const isFresh = (): boolean => {
  if (!["dist", "plugin", "terraform"].every((name) => existsSync(root + name)) || !existsSync(stamp)) return false
  const built = statSync(stamp).mtimeMs
  // Includes folders, whose time changes when a file is deleted.
  const inputs = globSync([...SOURCES, "{sdk,service,provider}/**/"], { cwd: root })
  return inputs.every((path) => statSync(`${root}${path}`).mtimeMs < built)
}
if (process.argv.includes("--if-stale") && isFresh()) process.exit(0)

rmSync(`${root}dist`, { recursive: true, force: true })
const tsc = `${root}node_modules/@typescript/native/bin/tsc`
const emit = spawnSync(process.execPath, [tsc, "-p", `${root}.config/tsconfig.build.json`], { stdio: "inherit" })
if (emit.status !== 0) process.exit(1)
const bundles: Array<Metafile> = []
for (
  const { banner = shared.banner, entries, external = [], isPortable = false, needs, shares = false, ...own } of BUNDLES
) {
  const others = LAZY.filter((lazy) => !entries.includes(lazy)).map((lazy) => `#${lazy}`)
  const { plugins = [], ...users } = isPortable ? portable() : {}
  const { metafile } = await build({
    ...shared,
    ...own,
    banner: { js: (needs === undefined ? "" : throwOnOldNode(...needs)) + (isPortable ? "" : banner.js) },
    ...users,
    entryPoints: entries.map((entry) => `${entry}.ts`),
    outdir: "dist",
    outbase: root,
    external: [...others, ...external],
    plugins: [agentOnly, lateSqlite, ...(shares ? [sharing] : []), ...plugins]
  })
  for (const output of Object.keys(metafile.outputs)) {
    if (isPortable) refuseRequire(`${root}${output}`)
    makeAscii(`${root}${output}`)
  }
  bundles.push(metafile)
}
bundles.push(await buildFetchEntry({ ...shared, ...small }, sharing))
copyFileSync(`${root}dist/sdk/index.d.ts`, `${root}dist/sdk/fetch.d.ts`)
bundles.push(...await buildCommonJs({ ...shared, ...small }, COMMON_JS, apart))
const entries = Object.values(manifest.exports).filter((one) => typeof one !== "string")
prune(root, [
  ...entries.flatMap((one) => [one.types, one.default]),
  ...Object.values(manifest.bin).filter((path) => path.startsWith("./dist/")),
  ...LAZY.map((entry) => `dist/${entry}.js`),
  ...COMMON_JS.map((entry) => `dist/commonjs/${entry}.js`)
])
await writePeerEntries(root, manifest)
writeDeclarations(root, entries.filter((one) => one.require !== undefined).map((one) => one.types))
writeFileSync(`${root}dist/service/service.schema.json`, `${JSON.stringify(configSchema, null, 2)}\n`)

/** A provider that an engine starts: a folder with one bundle, the files beside it, and its own notices. */
const buildProvider = async (
  folder: string,
  outfile: string,
  entry: string,
  files: Readonly<Record<string, string>>
) => {
  rmSync(root + folder, { recursive: true, force: true })
  const options = { ...shared, ...small, entryPoints: [entry], outfile: `${folder}/${outfile}`, plugins: [agentOnly] }
  const { metafile } = await build(options)
  writeNotices(root + folder, manifest.version, componentsOf(root, [metafile]))
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    if (text.startsWith("#!")) chmodSync(path, 0o755)
  }
  return metafile
}
const providers = [
  await buildProvider("plugin", "plugin.mjs", "provider/plugin/main.ts", pluginFiles(manifest.version)),
  await buildProvider("terraform", "provider.mjs", "provider/terraform/main.ts", TERRAFORM_FILES)
]
copyFileSync(`${root}provider/plugin/schema.json`, `${root}plugin/schema.json`)
const panel = await buildPanel(root)
writeNotices(root, manifest.version, componentsOf(root, [...bundles, ...providers, panel]))
for (const [entry, name, version] of EXECUTABLES) {
  const path = `${root}dist/${entry}.js`
  const [shebang, ...code] = readFileSync(path, "utf8").split("\n")
  writeFileSync(path, [shebang, exitOnOldNode(name, version) + code.join("\n")].join("\n"))
  chmodSync(path, 0o755)
}
// The examples import the package by its name: in a clone, `pulumi up` finds it as in a project that has installed it.
// One link to the whole clone would contain itself, and programs that walk through `node_modules` would never end.
const self = `${root}node_modules/${manifest.name}`
rmSync(self, { recursive: true, force: true })
mkdirSync(self)
for (const name of ["package.json", "dist", "plugin", "terraform", "sdk", "service", "provider"]) {
  symlinkSync(join("../..", name), join(self, name))
}
mkdirSync(dirname(stamp), { recursive: true })
// For test/e2e/seams.test.ts: the modules in each bundle, by the bundle's entry, and the files that are not bundled.
const inputsOf = ({ outputs }: Metafile) => [
  ...new Set(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => bytesInOutput > 0 ? [path] : [])
    )
  )
]
const entryOf = ({ outputs }: Metafile) => Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? [])[0]
const contents = [...bundles, ...providers].map((bundle) => [entryOf(bundle), inputsOf(bundle)] as const)
const outputs = new Set(bundles.flatMap((bundle) => Object.keys(bundle.outputs)))
const single = globSync("dist/**/*.js", { cwd: root }).filter((path) => !outputs.has(path))
writeFileSync(join(dirname(stamp), "bundles.json"), JSON.stringify({ contents, single }))
writeFileSync(stamp, "")

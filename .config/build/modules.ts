/**
 * The published files that are not bundled: what the compiler emits, from an entry on. Every resolution of modules
 * understands the declarations, CommonJS and `moduleResolution: node` included. Of another package of ours that users
 * do not install beside it, a package contains the declarations that its own name.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { exitOnOldNode, throwOnOldNode } from "./entryChecks.ts"
import { type Folder, folderOf, type Manifest, moduleOf, placeIn, readManifest, ROOT } from "./workspace.ts"

/** The output of the compiler for all packages, in the folders of the sources. */
const EMITTED = join(ROOT, "node_modules/.cache/pulumi-vps/emitted")

/** Imports and exports, dynamic imports, and types by `import("...")`. */
const SPECIFIERS = /\b(?:from|import)\s*\(?\s*"([^"\n]+)"/g

/** @returns false if the sources have errors, which the compiler has printed. */
export const emit = (): boolean => {
  rmSync(EMITTED, { recursive: true, force: true })
  const tsc = join(ROOT, "node_modules/@typescript/native/bin/tsc")
  const args = [tsc, "-p", join(ROOT, ".config/tsconfig.build.json"), "--outDir", EMITTED]
  return spawnSync(process.execPath, args, { stdio: "inherit" }).status === 0
}

/** True for a module of a package that users install beside this one. */
const isInstalled = ({ dependencies = {} }: Manifest, module: string): boolean => {
  const folder = folderOf(module)
  return folder !== undefined && readManifest(folder).name in dependencies
}

type Extension = ".d.ts" | ".js"

const read = (module: string, extension: Extension): string | undefined => {
  const path = join(EMITTED, `${module}${extension}`)
  return existsSync(path) ? readFileSync(path, "utf8") : undefined
}

/** The modules that these lead to, themselves included; `stop` says which are bundles of their own. */
const reach = (
  folder: Folder,
  entries: ReadonlyArray<string>,
  extension: Extension,
  stop: (module: string) => boolean
): ReadonlyMap<string, string> => {
  const manifest = readManifest(folder)
  const found = new Map<string, string>()
  const visit = (module: string): void => {
    if (found.has(module) || stop(module) || isInstalled(manifest, module)) return
    const text = read(module, extension)
    if (text === undefined) throw new Error(`${folder}: nothing was emitted for ${module}${extension}`)
    found.set(module, text)
    for (const [, specifier = ""] of text.matchAll(SPECIFIERS)) {
      const next = moduleOf(module, specifier)
      if (next !== undefined) visit(next)
    }
  }
  entries.forEach(visit)
  return found
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Writes the modules that the entries lead to into a folder of the package, with relative paths in their imports. */
const writeReached = (
  folder: Folder,
  entries: ReadonlyArray<string>,
  extension: Extension,
  target: string,
  stop: (module: string) => boolean = () => false
): void => {
  const manifest = readManifest(folder)
  for (const [module, text] of reach(folder, entries, extension, stop)) {
    const own = text.replaceAll(SPECIFIERS, (match, specifier: string) => {
      const next = moduleOf(module, specifier)
      if (next === undefined || isInstalled(manifest, next)) return match
      const path = relative(dirname(placeIn(folder, module)), `${placeIn(folder, next)}.js`)
      return match.replace(specifier, path.startsWith(".") ? path : `./${path}`)
    })
    write(join(ROOT, folder, target, `${placeIn(folder, module)}${extension}`), own)
  }
}

export const writeDeclarations = (folder: Folder, entries: ReadonlyArray<string>): void =>
  writeReached(folder, entries, ".d.ts", "dist")

/** Modules without a bundle, as the compiler emits them. */
export const writeModules = (folder: Folder, entries: ReadonlyArray<string>): void =>
  writeReached(folder, entries, ".js", "dist")

/**
 * An executable: it checks the version of Node.js before it loads anything.
 * @param bundled the bundles that it loads
 * @param needs the name of the command, and the version needed
 */
export const writeCommand = (
  folder: Folder,
  entry: string,
  bundled: ReadonlyArray<string>,
  needs: readonly [name: string, version: string]
): void => {
  writeReached(folder, [entry], ".js", "dist", (module) => bundled.includes(module))
  const path = join(ROOT, folder, "dist", `${placeIn(folder, entry)}.js`)
  const [shebang, ...code] = readFileSync(path, "utf8").split("\n")
  writeFileSync(path, [shebang, exitOnOldNode(...needs) + code.join("\n")].join("\n"))
  chmodSync(path, 0o755)
}

/**
 * The entries for programs in CommonJS: declarations that say so, and, for an entry that has no build of its own in
 * CommonJS, the ES module by `require`.
 * @param needs the name in the error of an older Node.js, and the version needed
 */
export const writeCommonJs = (
  folder: Folder,
  entries: ReadonlyArray<string>,
  needs: readonly [name: string, version: string]
): void => {
  writeReached(folder, entries, ".d.ts", "dist/commonjs")
  for (const entry of entries) {
    const path = `${placeIn(folder, entry)}.js`
    const stub = join(ROOT, folder, "dist/commonjs", path)
    if (existsSync(stub)) continue
    const file = relative(dirname(stub), join(ROOT, folder, "dist", path))
    write(stub, `${throwOnOldNode(...needs)}\nmodule.exports = require("${file}")\n`)
  }
  write(join(ROOT, folder, "dist/commonjs/package.json"), `{ "type": "commonjs" }\n`)
}

/**
 * Removes comments with other characters than ASCII, the only place where the bundler leaves them: V8 holds a file with
 * one such character at two bytes for each. That is 3 to 5 MB of a service's memory.
 */
export const makeAscii = (path: string): void => {
  const text = readFileSync(path, "utf8").replaceAll(/^ *\/\/.*\P{ASCII}.*\n/gmu, "")
  const at = text.search(/\P{ASCII}/u)
  if (at !== -1) throw new Error(`${path} has a character that is not ASCII: ${text.slice(at, at + 50)}`)
  writeFileSync(path, text)
}

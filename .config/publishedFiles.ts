/** Deletes from `dist` the modules that no entry of the package reaches: bundles contain them. */
import { existsSync, globSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

/** Imports and exports, dynamic imports, and the computed specifiers of the package's own modules. */
const SPECIFIERS = /(?:\bfrom|\bimport|=|\()\s*"([.#][^"\n]+)"/g

const resolve = (from: string, specifier: string): string => {
  const path = specifier.startsWith("#")
    ? specifier.replace(/^#contract\//, "dist/sdk/contract/").replace(/^#/, "dist/")
    : normalize(join(dirname(from), specifier))
  return path.replace(/(\.d)?\.(js|ts)$/, "") + (from.endsWith(".d.ts") ? ".d.ts" : ".js")
}

const reach = (root: string, entries: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (path: string): void => {
    // Bundles contain texts that look like imports.
    if (found.has(path) || !existsSync(join(root, path))) return
    found.add(path)
    for (const [, specifier = ""] of readFileSync(join(root, path), "utf8").matchAll(SPECIFIERS)) {
      visit(resolve(path, specifier))
    }
  }
  entries.forEach(visit)
  return found
}

/** `entries` are paths below the root, such as `dist/sdk/index.js`. */
export const prune = (root: string, entries: ReadonlyArray<string>): void => {
  const missing = entries.filter((path) => !existsSync(join(root, path)))
  if (missing.length > 0) {
    throw new Error(`package.json names files that the build did not write: ${missing.join(", ")}`)
  }
  const found = reach(root, entries)
  for (const path of globSync("dist/**/*.{js,d.ts}", { cwd: root })) {
    if (!found.has(path)) rmSync(join(root, path))
  }
}

/** Makes folders. */
import { existsSync, mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Makes a folder and those above it that are missing. The `recursive` option of Node.js tries for ever where a folder
 * exists but none can be made in it, as below `/proc`.
 * @throws the error of the system if the folder cannot be made.
 */
export const makeFolder = (path: string, mode?: number): void => {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (isFolder(path)) return
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || existsSync(parent)) throw error
    makeFolder(parent, mode)
    makeFolder(path, mode)
  }
}

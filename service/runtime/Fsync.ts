/** Flushes files and names to the disk, so that they survive a power failure. */
import { closeSync, fsyncSync, openSync } from "node:fs"
import { dirname } from "node:path"

const sync = (path: string, mode: "r" | "r+"): void => {
  const file = openSync(path, mode)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Makes a file's content survive a power cut. */
export const syncFile = (path: string): void => sync(path, "r+")

/** Makes what happened to the names in a file's folder survive a power cut. */
export const syncFolderOf = (path: string): void => sync(dirname(path), "r")

/** The owner and mode of files that the service reads, and that an operator may replace as another user. */
import { chmodSync, chownSync, closeSync, existsSync, fsyncSync, openSync, statSync } from "node:fs"
import { dirname } from "node:path"

const PERMISSIONS = 0o777

/**
 * Gives a file the owner and mode of the file that it will replace, or the owner of the folder if there is none. Only
 * root can change an owner, so for other users this throws, before anything is replaced.
 */
export const inheritAccess = (file: string, replaced: string): void => {
  const exists = existsSync(replaced)
  const { gid, mode, uid } = statSync(exists ? replaced : dirname(replaced))
  const user = process.geteuid?.()
  if (user === 0) chownSync(file, uid, gid)
  else if (exists && uid !== (user ?? uid)) {
    throw new Error(`${replaced} belongs to another user. Run this command as that user, or as root.`)
  }
  if (exists) chmodSync(file, mode & PERMISSIONS)
}

/** The permissions that a secret file must not have. The service may read a file of root as a member of its group. */
const excessOf = (path: string): number => {
  const { mode, uid } = statSync(path)
  return mode & (uid === 0 ? 0o037 : 0o077)
}

/** Withdraws other users' access to a file. Returns true if they had any; throws if it cannot be withdrawn. */
export const withdrawAccess = (path: string): boolean => {
  // Windows has no such modes.
  if (process.geteuid === undefined || excessOf(path) === 0) return false
  chmodSync(path, statSync(path).mode & PERMISSIONS & ~excessOf(path))
  return true
}

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

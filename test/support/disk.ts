/** Disks of a test's own that can be full or read-only, where this user may mount any. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const run = (program: string, ...args: ReadonlyArray<string>): boolean => spawnSync(program, args).status === 0

const must = (program: string, ...args: ReadonlyArray<string>): void => {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`)
}

export interface Disk {
  readonly folder: string
  readonly remove: () => void
}

const unmounted = (folder: string): void => {
  run("umount", folder)
  rmSync(folder, { recursive: true, force: true })
}

/** In memory, of so many megabytes. Undefined where this user may not mount. */
export const smallDisk = (megabytes: number): Disk | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "vps-disk-"))
  const remove = () => unmounted(folder)
  if (run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder)) return { folder, remove }
  remove()
  return undefined
}

/** Fills a disk to its last byte. Returns a function that frees space again. */
export const fill = (folder: string): () => void => {
  const ballast = join(folder, "ballast")
  const piece = Buffer.alloc(4_096)
  writeFileSync(ballast, "")
  for (;;) {
    try {
      writeFileSync(ballast, piece, { flag: "a" })
    } catch { // full
      return () => rmSync(ballast)
    }
  }
}

export interface BreakableDisk extends Disk {
  /** From now on it is read-only, also for files that are open: what Linux does with a disk that fails. */
  readonly fail: () => void
  /** Writable again; nothing may have a file open on it. */
  readonly repair: () => void
}

const IMAGE_BYTES = 16 * 1024 * 1024

/** A file system in a file. Undefined where this user may not mount one. */
export const breakableDisk = (): BreakableDisk | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "vps-disk-"))
  const image = `${folder}.img`
  writeFileSync(image, "")
  truncateSync(image, IMAGE_BYTES)
  const remove = () => {
    unmounted(folder)
    rmSync(image, { force: true })
  }
  const mounts = run("mkfs.ext4", "-q", image) && run("mount", "-o", "loop", image, folder)
  if (!mounts) {
    remove()
    return undefined
  }
  return {
    folder,
    remove,
    fail: () => must("mount", "-o", "remount,abort", folder),
    repair: () => {
      must("umount", folder)
      // Its status says what it has corrected. A file system with an error left is mounted read-only again.
      run("e2fsck", "-f", "-y", image)
      must("mount", "-o", "loop", image, folder)
    }
  }
}

/** Lets a process grow no file beyond so many bytes; without them it may again. False where that cannot be done. */
export const limitFiles = (pid: number, bytes?: number): boolean =>
  run("prlimit", "--pid", String(pid), `--fsize=${bytes ?? "unlimited"}:unlimited`)

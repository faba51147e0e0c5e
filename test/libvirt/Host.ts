/** A libvirt host in namespaces of its own, by `host.sh`. Several can run at once; a stopped one leaves nothing. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const SCRIPT = fileURLToPath(new URL("host.sh", import.meta.url))

/** Of a host, of the tests, and of the script that makes the guest. */
const PROGRAMS = `libvirtd virsh qemu-system-x86_64 qemu-img ip unshare nsenter ssh ssh-keygen sshpass
  busybox dropbear syslinux mcopy mkfs.fat genisoimage cpio depmod openssl`.split(/\s+/)
const FILTERS = "/etc/libvirt/nwfilter/clean-traffic.xml"

/** Of the script that makes the Debian guest. */
const DEBIAN_PROGRAMS = ["debootstrap", "mke2fs", "chroot"]

const isInstalled = (program: string): boolean =>
  ["/usr/bin", "/usr/sbin", "/bin", "/sbin"].some((folder) => existsSync(join(folder, program)))

/** The reason why no host can be started here; undefined if one can. */
export const noHosts: string | undefined = process.getuid?.() !== 0
  ? "needs root"
  : [...PROGRAMS.filter((program) => !isInstalled(program)), ...(existsSync(FILTERS) ? [] : [FILTERS])].map((missing) =>
    `needs ${missing}`
  )[0]

/** The reason why no Debian guest can be made here; undefined if one can. */
export const noDebian: string | undefined = noHosts
  ?? DEBIAN_PROGRAMS.filter((program) => !isInstalled(program)).map((missing) => `needs ${missing}`)[0]

/** Ends the name of a suite with the reason why it is skipped. */
export const reason = noHosts === undefined ? "" : ` (${noHosts})`

export interface Host {
  readonly name: string
  readonly folder: string
  /** The path of the daemon's socket. */
  readonly socket: string
  /** Executes a program in the host's namespaces, and returns its output. */
  readonly exec: (...command: ReadonlyArray<string>) => string
  /** Like `exec`, but the program may fail. */
  readonly tryExec: (...command: ReadonlyArray<string>) => { readonly status: number | null; readonly output: string }
  /** The daemon's process. */
  readonly daemonPid: () => number
  /** Kills the daemon; its machines continue, and another daemon is started. */
  readonly killDaemon: () => void
  /** Ends the daemon, as an upgrade does; its machines continue, and none is started until `startDaemon`. */
  readonly stopDaemon: () => void
  readonly startDaemon: () => void
  /** A cable between the bridges of this host and another. */
  readonly link: (other: Host) => void
  /** Ends it as a power failure does; `boot` starts it again with what is on its disks. */
  readonly halt: () => void
  readonly boot: () => void
  readonly stop: () => void
}

type Variables = Readonly<Record<string, string | undefined>>

const run = (operation: string, folder: string, rest: ReadonlyArray<string> = [], env: Variables = {}) =>
  spawnSync(SCRIPT, [operation, folder, ...rest], { encoding: "utf8", env: { ...process.env, ...env } })

const output = (
  operation: string,
  folder: string,
  rest: ReadonlyArray<string> = [],
  env: Variables = {}
): string => {
  const { status, stderr, stdout } = run(operation, folder, rest, env)
  if (status !== 0) throw new Error(`host.sh ${operation} ${rest.join(" ")}: ${stderr}${stdout}`)
  return stdout.trim()
}

interface System {
  /** Folder of certificates, which `tls.sh` has made: it accepts connections by TLS at 10.90.0.`index`. */
  readonly certificates?: string
  /** Root file system of another Debian, with its libvirt; that of this computer without one. */
  readonly root?: string
}

/** Of all hosts, to run any of these tests with another libvirt. */
const ROOT = process.env["VPS_TEST_LIBVIRT_ROOT"]

/** Starts a host. `index` distinguishes its addresses from those of other hosts. */
export const startHost = (name: string, index = 1, { certificates, root = ROOT }: System = {}): Host => {
  const folder = mkdtempSync(join(tmpdir(), `vps-${name}-`))
  const start = () => void output("start", folder, [name, String(index)], { TLS: certificates, LIBVIRT_ROOT: root })
  start()
  return {
    name,
    folder,
    socket: join(folder, "run/libvirt-sock"),
    exec: (...command) => output("exec", folder, command),
    tryExec: (...command) => {
      const { status, stderr, stdout } = run("exec", folder, command)
      return { status, output: stdout + stderr }
    },
    daemonPid: () => Number(output("daemon-pid", folder)),
    killDaemon: () => void output("restart-daemon", folder),
    stopDaemon: () => void output("stop-daemon", folder),
    startDaemon: () => void output("start-daemon", folder),
    link: (other) => void output("link", folder, [other.folder]),
    halt: () => void output("stop", folder),
    boot: start,
    stop: () => {
      output("stop", folder)
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

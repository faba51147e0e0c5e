/** Absences of a host's daemon, which its machines outlast, and the end of a machine. */
import type { Host } from "./Host.ts"
import { type RealService, until } from "./RealService.ts"

const NOTICED_MILLIS = 180_000

/** The beginning of an absence; returns its end. */
const BEGIN = {
  "daemon frozen": (host: Host) => {
    const pid = host.daemonPid()
    process.kill(pid, "SIGSTOP")
    return () => void process.kill(pid, "SIGCONT")
  },
  "daemon stopped": (host: Host) => {
    host.stopDaemon()
    return () => host.startDaemon()
  }
} as const

/** Begins at once. Ends it after the service has noticed, and completes when the host responds again. */
export const absence = async (kind: keyof typeof BEGIN, host: Host, service: RealService): Promise<void> => {
  const end = BEGIN[kind](host)
  const since = async () => (await service.admin("hosts.list", {}))[0]!.unreachable_since
  try {
    await until(since, (time) => time !== null, NOTICED_MILLIS)
  } finally {
    end()
  }
  await until(since, (time) => time === null, NOTICED_MILLIS)
}

/** Each takes about 50 ms: seconds at most, while libvirt's job on the machine may be waiting for the caller. */
const QEMU_LOOKS = 100

/** Libvirt has noticed it afterwards: an audit that begins earlier would find nothing to repair. */
export const killQemu = (host: Host): void => {
  // In the namespace of the host, which has no other machines.
  host.tryExec("pkill", "-9", "-x", "qemu-system-x86")
  for (let looks = 0; looks < QEMU_LOOKS; looks++) {
    if (host.exec("virsh", "list", "--name").trim() === "") return
  }
}

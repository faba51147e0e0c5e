/** Absences of a host's daemon, which its machines outlast. */
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

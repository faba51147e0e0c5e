/**
 * Replays a recorded reply for each of many machines, with counters that grow. Arguments: machines, hosts, and the
 * first and the last of the hosts that this process is.
 */
import type { Packet } from "#service/provisioning/drivers/libvirt/rpc/Packets"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { decode } from "#service/provisioning/drivers/libvirt/rpc/Xdr"
import { allStats, result, startDaemon } from "../../provisioning/libvirt/FakeDaemon.ts"

const { stats } = PROCEDURES
const [machines = 0, hosts = 0, first = 0, last = 0] = process.argv.slice(2).map(Number)
const [machine] = decode(stats.result, allStats())

/** The machines of a host have numbers with the same remainder. */
const idsOn = (host: number): ReadonlyArray<number> =>
  Array.from({ length: Math.ceil(machines / hosts) }, (_, index) => host + index * hosts).filter((id) => id > 0)

const domainsOf = (host: number, round: number) =>
  idsOn(host).map((id) => ({
    domain: { ...machine!.domain, name: `instance-${id}`, id },
    parameters: machine!.parameters.map(({ name, value }) => ({
      name,
      value: typeof value === "number" && /time|bytes$/.test(name) ? value + round * id : value
    }))
  }))

/** Encoding costs more than the measured process spends on a machine: with more of them, each host repeats a reply. */
const GROWING_MACHINES_MAX = 20_000
const SERIAL_AT = 20

const replies = new Map<number, Buffer>()

const replyOf = (host: number, round: number, packet: Packet): Buffer => {
  const known = replies.get(host)
  if (known === undefined || machines <= GROWING_MACHINES_MAX) {
    const made = result(stats, packet, domainsOf(host, round))
    replies.set(host, made)
    return made
  }
  known.writeUInt32BE(packet.serial, SERIAL_AT)
  return known
}

const paths = await Promise.all(
  Array.from({ length: last - first + 1 }, async (_, index) => {
    const host = first + index
    let round = 0
    const { path } = await startDaemon((packet, reply) => reply(replyOf(host, round++, packet)))
    return path
  })
)
process.send!(paths)
process.once("disconnect", () => process.exit())

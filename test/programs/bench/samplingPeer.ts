/**
 * Replays a recorded reply for each of many machines, with counters that grow. Arguments: machines, hosts, and the
 * first and the last of the hosts that this process is.
 */
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

const paths = await Promise.all(
  Array.from({ length: last - first + 1 }, async (_, index) => {
    const host = first + index
    let round = 0
    const { path } = await startDaemon((packet, reply) => reply(result(stats, packet, domainsOf(host, round++))))
    return path
  })
)
process.send!(paths)
process.once("disconnect", () => process.exit())

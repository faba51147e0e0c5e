/** Replays a recorded reply for each of many machines, with counters that grow. Arguments: machines, hosts. */
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { decode } from "#service/provisioning/drivers/libvirt/rpc/Xdr"
import { allStats, result, startDaemon } from "../../provisioning/libvirt/FakeDaemon.ts"

const { stats } = PROCEDURES
const [machines = 0, hosts = 0] = process.argv.slice(2).map(Number)
const [machine] = decode(stats.result, allStats())

const domainsOf = (host: number, round: number) =>
  Array.from({ length: machines }, (_, index) => index + 1).filter((id) => id % hosts === host).map((id) => ({
    domain: { ...machine!.domain, name: `instance-${id}`, id },
    parameters: machine!.parameters.map(({ name, value }) => ({
      name,
      value: typeof value === "number" && /time|bytes$/.test(name) ? value + round * id : value
    }))
  }))

const paths = await Promise.all(
  Array.from({ length: hosts }, async (_, host) => {
    let round = 0
    const { path } = await startDaemon((packet, reply) => reply(result(stats, packet, domainsOf(host, round++))))
    return path
  })
)
process.send!(paths)
process.once("disconnect", () => process.exit())

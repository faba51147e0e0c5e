/**
 * Web servers with PTR records, as a function, so that tests can run it. The program that `pulumi up` runs is one line
 * beside it: `export const { addresses, charged, names } = program(["web-1", "web-2"])`.
 */
import { Instance, ReverseDns } from "pulumi-vps/provider"

/** What a server may cost, in units of the wallet's currency. */
const MAX_CHARGE = 6

export const program = (names: ReadonlyArray<string>) => {
  const servers = names.map((name) => {
    const hostname = `${name}.example.com`
    const server = new Instance(name, {
      serviceId: 1,
      hostname,
      os: "debian-12",
      maxCharge: MAX_CHARGE,
      deletionPolicy: "stop"
    })
    const record = new ReverseDns(name, { instanceId: server.id, ip: server.ipv4, ptr: hostname })
    return { server, record }
  })
  return {
    addresses: servers.map(({ server }) => server.ipv4),
    names: servers.map(({ record }) => record.ptr),
    charged: servers.map(({ server }) => server.chargeAmount)
  }
}

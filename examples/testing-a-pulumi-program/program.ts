/**
 * Instances with PTR records, as a function that tests can call. The program for `pulumi up` is one line:
 * `export const { addresses, charged, names } = program(["web-1", "web-2"])`.
 */
import { Instance, ReverseDns } from "pulumi-vps/provider"

/** Maximum charge per instance, in units of the wallet's currency. */
const MAX_CHARGE = 6

export const program = (names: ReadonlyArray<string>) => {
  const instances = names.map((name) => {
    const hostname = `${name}.example.com`
    const instance = new Instance(name, {
      serviceId: 1,
      hostname,
      os: "debian-12",
      maxCharge: MAX_CHARGE,
      deletionPolicy: "stop"
    })
    const record = new ReverseDns(name, { instanceId: instance.id, ip: instance.ipv4, ptr: hostname })
    return { instance, record }
  })
  return {
    addresses: instances.map(({ instance }) => instance.ipv4),
    names: instances.map(({ record }) => record.ptr),
    charged: instances.map(({ instance }) => instance.chargeAmount)
  }
}

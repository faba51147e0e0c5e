/** The drivers of the settings `driver` and `rdns`: a part of the composition root. */
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { locate } from "./config/DatabaseLocation.ts"
import type { DriverName, Values } from "./config/Config.ts"
import * as MetricsFiles from "./persistence/metrics/MetricsFiles.ts"
import * as MetricsTable from "./persistence/metrics/MetricsTable.ts"
import type { Driver } from "./provisioning/Driver.ts"
import * as HostWatch from "./provisioning/drivers/libvirt/HostWatch.ts"
import * as Libvirt from "./provisioning/drivers/libvirt/Libvirt.ts"
import * as Sampler from "./provisioning/drivers/libvirt/metrics/Sampler.ts"
import * as Places from "./provisioning/drivers/libvirt/Places.ts"
import { Sessions } from "./provisioning/drivers/libvirt/Sessions.ts"
import * as Simulated from "./provisioning/drivers/simulated/Simulated.ts"
import * as PowerDns from "./provisioning/rdns/PowerDns.ts"
import * as WithReverseDns from "./provisioning/rdns/WithReverseDns.ts"

/** Replicas share the samples of their machines; a single process has them to itself. */
const metricsStore = (database: string) => {
  const { file, isServer } = locate(database)
  return isServer ? MetricsTable.layer : MetricsFiles.layer(file)
}

const DRIVERS = {
  libvirt: ({ database, guestDns, staleMachines }: Values) =>
    Layer.mergeAll(Libvirt.layer({ nameservers: guestDns }), HostWatch.layer({ staleMachines }), Sampler.layer).pipe(
      Layer.provide(Layer.mergeAll(Places.layer, Sessions.layer, metricsStore(database)))
    ),
  simulated: () => Simulated.layer
} satisfies Record<DriverName, unknown>

/** The chosen driver, with PTR records at the chosen name server. */
export const driverOf = (settings: Values, name: DriverName) => {
  const driver: Layer.Layer<Driver, never, Layer.Services<ReturnType<typeof DRIVERS[DriverName]>>> = DRIVERS[name](
    settings
  )
  const { powerdnsKey, powerdnsUrl: url, rdns, rdnsDomain } = settings
  if (rdns === undefined) return driver
  const server = PowerDns.layer({ url, key: Redacted.make(powerdnsKey) })
  return WithReverseDns.layer(rdnsDomain).pipe(Layer.provide(server), Layer.provide(driver))
}

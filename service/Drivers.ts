/** The drivers of the settings `driver` and `rdns`: a part of the composition root. */
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { locate } from "./config/DatabaseLocation.ts"
import type { DriverName, Values } from "./config/Config.ts"
import type { Limits } from "./config/Limits.ts"
import * as MetricsFiles from "./persistence/metrics/MetricsFiles.ts"
import * as MetricsTable from "./persistence/metrics/MetricsTable.ts"
import type { Driver } from "./provisioning/Driver.ts"
import * as Administration from "./provisioning/drivers/libvirt/Administration.ts"
import * as HostWatch from "./provisioning/drivers/libvirt/HostWatch.ts"
import * as Libvirt from "./provisioning/drivers/libvirt/Libvirt.ts"
import * as Sampler from "./provisioning/drivers/libvirt/metrics/Sampler.ts"
import * as MachinePlaces from "./provisioning/drivers/libvirt/MachinePlaces.ts"
import { HostConnections } from "./provisioning/drivers/libvirt/HostConnection.ts"
import * as Simulated from "./provisioning/drivers/simulated/Simulated.ts"
import type { HostAdmin } from "./provisioning/HostAdmin.ts"
import * as PowerDns from "./provisioning/rdns/PowerDns.ts"
import * as WithReverseDns from "./provisioning/rdns/ReverseDns.ts"

/** Replicas share the samples of their machines; a single process has them to itself. */
const metricsStore = (database: string) => {
  const { file, isServer } = locate(database)
  return isServer ? MetricsTable.layer : MetricsFiles.layer(file)
}

/** A driver whose machines run on hosts has their administration. */
interface Row {
  readonly driver: (settings: Values) => Layer.Layer<Driver, never, DriverNeeds>
  readonly hosts: Layer.Layer<HostAdmin, never, Limits> | null
}

const libvirt = ({ database, guestDns, staleMachines }: Values) =>
  Layer.mergeAll(Libvirt.layer({ nameservers: guestDns }), HostWatch.layer({ staleMachines }), Sampler.layer).pipe(
    Layer.provide(Layer.mergeAll(MachinePlaces.layer, HostConnections.layer, metricsStore(database)))
  )

type DriverNeeds = Layer.Services<ReturnType<typeof libvirt>> | Layer.Services<typeof Simulated.layer>

const DRIVERS: Readonly<Record<DriverName, Row>> = {
  libvirt: { driver: libvirt, hosts: Administration.layer },
  simulated: { driver: () => Simulated.layer, hosts: null }
}

/** True if instances are placed on hosts, which operators add. */
export const hasHosts = (name: DriverName | undefined): boolean => name !== undefined && DRIVERS[name].hosts !== null

const NAMES = Object.keys(DRIVERS) as ReadonlyArray<DriverName>

/** The driver of a database, for a program that is not set to one. */
export const driverIn = (isWithHosts: boolean): DriverName => NAMES.find((name) => hasHosts(name) === isWithHosts)!

/** The administration of a driver's hosts. Of one without any, that of the others: hosts are added before a start. */
export const hostAdminOf = (name: DriverName | undefined): NonNullable<Row["hosts"]> =>
  (name === undefined ? null : DRIVERS[name].hosts) ?? DRIVERS[driverIn(true)].hosts!

/** The chosen driver, with PTR records at the chosen name server. */
export const driverOf = (settings: Values, name: DriverName) => {
  const driver = DRIVERS[name].driver(settings)
  const { powerdnsKey, powerdnsUrl: url, rdns, rdnsDomain } = settings
  if (rdns === undefined) return driver
  const server = PowerDns.layer({ url, key: Redacted.make(powerdnsKey) })
  return WithReverseDns.layer(rdnsDomain).pipe(Layer.provide(server), Layer.provide(driver))
}

/**
 * The filter of a machine's network card, as its host applies it: libvirt's binding of the card's port on the bridge,
 * from which it makes the rules of the kernel. A binding can be read; the rules cannot, so they are made again.
 */
import * as Effect from "effect/Effect"
import type { Host } from "../../../persistence/Hosts.ts"
import { byHandIn } from "./ByHand.ts"
import { mtuOf } from "./Bridge.ts"
import { networkXml } from "./DomainXml.ts"
import { RENEWED_FILTER, renewedXml } from "./FilterXml.ts"
import type { HostConnection } from "./HostConnection.ts"
import type { MachinePlace } from "./MachinePlaces.ts"
import { escape, type MachineRecord, macOf, uuidOf } from "./MachineRecord.ts"
import type { Found } from "./Machines.ts"
import { CODES } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { Domain } from "./rpc/Types.ts"
import { orElse } from "./Volumes.ts"

/** Of any version: a machine has the one with which it was started. */
const OWN_FILTER = /^vps-clean-traffic(?:-ipv4)?-\d+$/

/** A network card in the definition of a machine that runs. */
interface Card {
  /** The name of its port on the host. */
  readonly port: string
  /** The element of its filter; undefined without one of this driver's. */
  readonly filter: string | undefined
}

/** The elements of a name in an XML text, each as it is written. None is inside another one of its name. */
const elementsIn = (xml: string, name: string): ReadonlyArray<string> => {
  const end = `</${name}>`
  return xml.split(`<${name} `).slice(1).map((rest) => {
    const opened = rest.indexOf(">") + 1
    const isEmpty = rest[opened - 2] === "/"
    return `<${name} ${rest.slice(0, isEmpty ? opened : rest.indexOf(end) + end.length)}`
  })
}

const PORT = /<target dev='([^']+)'/
const FILTER_NAME = /^<filterref filter='([^']+)'/

/** The element of this driver's filter; undefined without one. */
const filterIn = (xml: string): string | undefined =>
  elementsIn(xml, "filterref").find((element) => OWN_FILTER.test(FILTER_NAME.exec(element)?.[1] ?? ""))

/** Undefined for a machine that has lost its card. */
const cardOf = Effect.fnUntraced(function*(connection: HostConnection, { ipv4 }: MachineRecord, domain: Domain) {
  const xml = yield* orElse(connection.call(CALLS.description, [domain, 0]), [CODES.NO_DOMAIN], Effect.succeed(""))
  const card = elementsIn(xml, "interface").find((element) => element.includes(`'${macOf(ipv4)}'`))
  const port = card && PORT.exec(card)?.[1]
  if (card === undefined || port === undefined) return undefined
  return { port, filter: filterIn(card) } satisfies Card
})

const parameterOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<parameter name='${name}' value='([^']*)'`).exec(xml)?.[1]

/** The definition of a port's binding; empty if it has none. */
const bindingOf = (connection: HostConnection, port: string) =>
  orElse(
    Effect.flatMap(
      connection.call(CALLS.bindingLookup, [port]),
      (binding) => connection.call(CALLS.bindingXml, [binding, 0])
    ),
    [CODES.NO_BINDING],
    Effect.succeed("")
  )

/** True for a machine that runs, and whose host does not keep it from using other addresses than its own. */
export const isUnprotected = Effect.fnUntraced(
  function*(connection: HostConnection, { domain, record }: Found) {
    const card = yield* cardOf(connection, record, domain)
    if (card === undefined) return false
    if (card.filter === undefined) return true
    const binding = yield* bindingOf(connection, card.port)
    return filterIn(binding) === undefined || parameterOf(binding, "IP") !== record.ipv4
      || parameterOf(binding, "MAC") !== macOf(record.ipv4)
  }
)

const bindingXml = ({ ipv4, tag }: MachineRecord, port: string, filter: string): string =>
  `<filterbinding><owner><name>${escape(tag)}</name><uuid>${uuidOf(tag)}</uuid></owner>
  <portdev name="${escape(port)}"/><mac address="${macOf(ipv4)}"/>${filter}</filterbinding>`

const LIVE = 1

/** Sets the filter of a machine that runs again. */
export const protect = Effect.fnUntraced(
  function*(connection: HostConnection, place: MachinePlace, { domain, record }: Found) {
    const card = yield* cardOf(connection, record, domain)
    if (card === undefined) return
    if (card.filter === undefined) {
      const xml = yield* connection.call(CALLS.description, [domain, 0])
      const mtu = yield* mtuOf(connection, place.host.bridge)
      const onHost = { byHand: byHandIn(xml, macOf(record.ipv4)), mtu }
      const network = networkXml(record, place.host, place.assignment.ipv6Gateway, onHost)
      yield* connection.slow(CALLS.updateDevice, [domain, network, LIVE])
      return
    }
    const existing = connection.call(CALLS.bindingLookup, [card.port])
    const removed = Effect.flatMap(existing, (binding) => connection.slow(CALLS.bindingDelete, [binding]))
    yield* orElse(removed, [CODES.NO_BINDING], Effect.void)
    yield* connection.slow(CALLS.bindingCreate, [bindingXml(record, card.port, card.filter), 0])
  }
)

/**
 * Makes the kernel's rules of all machines on a host again, also those that another program has removed, such as a
 * firewall that was reloaded. libvirt does that for a filter that changes, and leaves no gap.
 */
export const renewRules = Effect.fnUntraced(function*(connection: HostConnection, { name }: Pick<Host, "name">) {
  const filter = yield* orElse(
    connection.call(CALLS.filterLookup, [RENEWED_FILTER]),
    [CODES.NO_FILTER],
    Effect.succeed(undefined)
  )
  // No machine has run there.
  if (filter === undefined) return
  const [, uuid] = filter
  const current = yield* connection.call(CALLS.filterXml, [filter, 0])
  yield* connection.slow(CALLS.filterDefine, [renewedXml(uuid, current)])
  yield* Effect.logDebug(`The rules of all network filters on host ${name} were made again.`)
})

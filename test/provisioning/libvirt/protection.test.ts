/** The filter of a guest's network card as its host applies it, read from libvirt and set again. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { renewedXml } from "#service/provisioning/drivers/libvirt/FilterXml"
import type { HostConnection } from "#service/provisioning/drivers/libvirt/HostConnection"
import { macOf, newRecord, uuidOf } from "#service/provisioning/drivers/libvirt/MachineRecord"
import { isUnprotected, protect, renewRules } from "#service/provisioning/drivers/libvirt/Protection"
import { CODES, LibvirtError } from "#service/provisioning/drivers/libvirt/rpc/Faults"
import type { Procedure } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { assignmentOf, SIZE } from "../../libvirt/OneHost.ts"
import { HOST } from "../../persistence/suite/hosts.ts"

const TAG = "instance-1"
const ASSIGNMENT = assignmentOf(TAG)
const RECORD = newRecord(TAG, { assignment: ASSIGNMENT, size: SIZE }, { hostname: "one", os: "debian-12" }, "disk")
const FOUND = { domain: { name: TAG, uuid: uuidOf(TAG), id: 1 }, record: RECORD }
const STORED = { id: 1, state: "active", used: SIZE, diskLeftGib: null, unreachableSince: null } as const
const PLACE = { host: { ...HOST, ...STORED }, size: SIZE, assignment: ASSIGNMENT, fenced: null }

const parameters = (ip = RECORD.ipv4) =>
  `<parameter name='IP' value='${ip}'/><parameter name='MAC' value='${macOf(RECORD.ipv4)}'/>`
const reference = (name: string, ip?: string) => `<filterref filter='${name}'>\n${parameters(ip)}\n</filterref>`
const OWN = reference("vps-clean-traffic-2")

/** The definition of a guest with another card beside its own, as libvirt formats it. */
const definition = (filter: string) =>
  `<domain><devices><interface type='bridge'><mac address='52:54:00:00:00:01'/><target dev='vnet0'/></interface>
  <interface type='bridge'>\n<mac address='${
    macOf(RECORD.ipv4)
  }'/>\n<target dev='vnet1'/>\n${filter}</interface></devices>
  </domain>`

/** A daemon with the guest's definition, and the filter of the binding of its port; undefined without one. */
const daemon = (filter: string, bound: string | undefined) => {
  const calls: Array<readonly [name: string, text: unknown]> = []
  const missing = () => {
    throw new LibvirtError("bindingLookup", { code: CODES.NO_BINDING, message: null })
  }
  const answers: Readonly<Record<string, (values: ReadonlyArray<unknown>) => unknown>> = {
    description: () => definition(filter),
    bindingLookup: ([port]) => bound === undefined || port !== "vnet1" ? missing() : { port, filter: "any" },
    bindingXml: () => `<filterbinding>${bound}</filterbinding>`,
    interfaceLookup: () => {
      throw new LibvirtError("interfaceLookup", { code: CODES.NO_INTERFACE, message: null })
    },
    filterLookup: ([name]) => [name, "uuid"],
    filterXml: () => `<filter><uuid>uuid</uuid></filter>`
  }
  const call = ({ name }: Procedure<ReadonlyArray<unknown>, unknown>, values: ReadonlyArray<unknown>) =>
    Effect.try({
      try: () => {
        if (answers[name] !== undefined) return answers[name](values)
        return calls.push([name, values.find((value) => typeof value === "string") ?? null])
      },
      catch: (error) => error as LibvirtError
    })
  return { connection: { call, slow: call } as unknown as HostConnection, calls }
}

describe("the filter of a guest", () => {
  it.effect.each(
    [
      ["as it should be", OWN, OWN, false],
      ["of an earlier version", reference("vps-clean-traffic-ipv4-1"), reference("vps-clean-traffic-ipv4-1"), false],
      ["without a binding", OWN, undefined, true],
      ["with a binding of another filter", OWN, reference("allow-arp"), true],
      ["with a binding for another address", OWN, reference("vps-clean-traffic-2", "203.0.113.99"), true],
      ["that was removed from its card", "", undefined, true],
      ["that an operator has replaced", reference("clean-traffic"), reference("clean-traffic"), true]
    ] as const
  )("%s", ([, filter, bound, expected]) =>
    Effect.map(
      isUnprotected(daemon(filter, bound).connection, FOUND),
      (found) => assert.strictEqual(found, expected)
    ))

  it.effect("gets its binding again, and one that differs is replaced", () =>
    Effect.gen(function*() {
      for (
        const [bound, expected] of [[undefined, ["bindingCreate"]], [reference("x"), [
          "bindingDelete",
          "bindingCreate"
        ]]] as const
      ) {
        const { calls, connection } = daemon(OWN, bound)
        yield* protect(connection, PLACE, FOUND)
        assert.deepStrictEqual(calls.map(([name]) => name), [...expected])
        const xml = String(calls.at(-1)![1])
        for (const part of [OWN, `<name>${TAG}</name>`, `<portdev name="vnet1"/>`, macOf(RECORD.ipv4)]) {
          assert.include(xml, part)
        }
      }
    }))

  it.effect("is written to the card of a guest that has lost it", () =>
    Effect.gen(function*() {
      const { calls, connection } = daemon("", undefined)
      yield* protect(connection, PLACE, FOUND)
      assert.deepStrictEqual(calls.map(([name]) => name), ["updateDevice"])
      assert.match(String(calls[0]![1]), /^<interface [^]*filterref filter="vps-clean-traffic-2"[^]*"203\.0\.113\.11"/)
    }))

  it.effect("is made again in the kernel by a definition that differs each time", () =>
    Effect.gen(function*() {
      const { calls, connection } = daemon(OWN, OWN)
      yield* renewRules(connection, HOST)
      assert.deepStrictEqual(calls, [["filterDefine", renewedXml("uuid", "")]])
      const other = renewedXml("uuid", "<rule action='drop' direction='out' priority='501'/>")
      assert.notStrictEqual(other, renewedXml("uuid", ""))
      assert.include(other, "<uuid>uuid</uuid>")
    }))
})

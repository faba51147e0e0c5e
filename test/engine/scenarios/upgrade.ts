/** States that earlier versions have recorded: this one continues with them, and finds nothing to do. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import type { Scenario } from "../scenarios.ts"
import type { StateResource } from "../Stack.ts"
import type { Environment } from "../Environment.ts"

const file = (version: string, name: string): string =>
  readFileSync(new URL(`../states/${version}/${name}`, import.meta.url), "utf8")

/** Buys from the service what the state says was bought, in the same order and with the same keys. */
const buyAgain = async (env: Environment, resources: ReadonlyArray<StateResource>): Promise<void> => {
  const instances = resources.filter(({ type }) => type.endsWith("vps:Instance"))
  for (const { id, outputs } of instances.toSorted((one, other) => Number(one.id) - Number(other.id))) {
    const { couponCode, hostname, os, purchaseKey, serviceId, sshPublicKey } = outputs
    const body = {
      service_id: serviceId,
      hostname: purchaseKey === "" ? undefined : hostname,
      os: purchaseKey === "" ? undefined : os,
      ssh_pubkey: sshPublicKey,
      coupon_code: couponCode
    }
    const bought = await env.ask<{ id: number }>("POST", "/instances", body, String(purchaseKey) || "elsewhere")
    assert.equal(String(bought.id), id)
  }
  // Returns when all that was begun has ended: they have their addresses.
  await env.control("POST", "clock", { advance_ms: 0 })
  for (const { outputs, type } of resources) {
    if (!type.endsWith("vps:ReverseDns")) continue
    const { instanceId, ip, ptr } = outputs
    await env.ask("POST", `/instances/${String(instanceId)}/rdns`, { ip, ptr })
  }
}

/** Commits whose states are recorded, with the programs that led to them. */
const VERSIONS = ["6d4937a"]

const upgrade = (version: string): Scenario => async (env) => {
  await env.control("PUT", "deploy", { mode: "instant" })
  env.stack.program(file(version, "program.txt"))
  await env.stack.importState(file(version, "state.json"))
  const { resources } = await env.stack.exportState()
  assert.equal(resources.length, 4)
  await buyAgain(env, resources)
  await env.idle()
  await env.run("refresh")
}

export const UPGRADES = Object.fromEntries(
  VERSIONS.map((version) => [
    `a state recorded by ${version} upgrades without changes, also after a refresh`,
    upgrade(version)
  ])
) as Record<`a state recorded by ${string}`, Scenario>

/** States that earlier versions have recorded: this one continues with them, and finds nothing to do. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import type { StateResource } from "../Stack.ts"
import type { Environment, Scenario } from "../Environment.ts"

const file = (version: string, name: string): string =>
  readFileSync(new URL(`../states/${version}/${name}`, import.meta.url), "utf8")

/**
 * Buys from the service what the state says was bought, in the same order and with the same keys; returns the new times
 * of the purchases by the recorded ones.
 */
const buyAgain = async (
  env: Environment,
  resources: ReadonlyArray<StateResource>
): Promise<ReadonlyMap<string, string>> => {
  const times = new Map<string, string>()
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
    const key = String(purchaseKey) || "elsewhere"
    const bought = await env.ask<{ id: number; created_at: string }>("POST", "/instances", body, key)
    assert.equal(String(bought.id), id)
    times.set(String(outputs["createdAt"]), bought.created_at)
  }
  // Returns when all that was begun has ended: they have their addresses.
  await env.control("POST", "clock", { advance_ms: 0 })
  for (const { outputs, type } of resources) {
    if (!type.endsWith("vps:ReverseDns")) continue
    const { instanceId, ip, ptr } = outputs
    await env.ask("POST", `/instances/${String(instanceId)}/rdns`, { ip, ptr })
  }
  return times
}

/** Commits whose states are recorded, with the programs that led to them. */
const VERSIONS = ["6d4937a"]

const upgrade = (version: string): Scenario => async (env) => {
  await env.control("PUT", "deploy", { mode: "instant" })
  env.stack.program(file(version, "program.txt"))
  let state = file(version, "state.json")
  await env.stack.importState(state)
  const { resources } = await env.stack.exportState()
  assert.equal(resources.length, 4)
  // An instance is recognized by the time of its purchase.
  for (const [recorded, now] of await buyAgain(env, resources)) state = state.replaceAll(recorded, now)
  await env.stack.importState(state)
  await env.idle()
  await env.run("refresh")
}

export const UPGRADES = Object.fromEntries(
  VERSIONS.map((version) => [
    `a state recorded by ${version} upgrades without changes, also after a refresh`,
    upgrade(version)
  ])
) as Record<`a state recorded by ${string}`, Scenario>

/** The scenarios of the provider: one table for every engine and host, and the choices of it that the tiers make. */
import type { Scenario } from "./Environment.ts"
import { ATTACHED } from "./scenarios/attached.ts"
import { FAULTS } from "./scenarios/faults.ts"
import { FLEET } from "./scenarios/fleet.ts"
import { IDENTITY } from "./scenarios/identity.ts"
import { INSTANCE_CHANGES } from "./scenarios/instance-changes.ts"
import { INTERRUPTIONS } from "./scenarios/interruptions.ts"
import { LIFECYCLE } from "./scenarios/lifecycle.ts"
import { PURCHASES } from "./scenarios/purchases.ts"
import { UPGRADES } from "./scenarios/upgrade.ts"

const NAMED = {
  ...LIFECYCLE,
  ...ATTACHED,
  ...IDENTITY,
  ...INSTANCE_CHANGES,
  ...INTERRUPTIONS,
  ...FAULTS,
  ...FLEET,
  ...PURCHASES
}

type Name = keyof typeof NAMED | keyof typeof UPGRADES

const SCENARIOS: Readonly<Record<Name, Scenario>> = { ...NAMED, ...UPGRADES }

/** Scenarios that only the dynamic provider has: the plugin marks any key in its configuration as a secret itself. */
const DYNAMIC_ONLY: ReadonlySet<string> = new Set<Name>([
  "an API key in the configuration is rejected as plain text and stays encrypted as a secret"
])

/**
 * `npm test` plays this with the plugin, on the test engine: a kill, in whose moment the real engine has no part.
 * `npm run test:ci` plays the others.
 */
const CORE: ReadonlyArray<Name> = [
  "killed right after the POST: the next up continues with the same instance, charged once"
]

/** The same with the dynamic provider, whose host the engine loads from the program. */
const CORE_DYNAMIC: ReadonlyArray<Name> = [
  "killed right after the POST: the next up continues with the same instance, charged once",
  "the state has the source position of the program, not of the provider"
]

/** Scenarios in which the engine itself has a part: with each host, its processes and its configuration. */
const ON_PULUMI: ReadonlyArray<Name> = [
  "preview shows the charge, up buys it once, a second up changes nothing",
  "destroy fails by default; VPS_DELETION_POLICY=stop powers off; up continues with the instance",
  "only the engine is killed: its provider stops, and the next up continues",
  "a component creates an instance, its PTR record, and a snapshot; functions and costs are outputs"
]

const ON_PULUMI_DYNAMIC: ReadonlyArray<Name> = [
  "preview shows the charge, up buys it once, a second up changes nothing",
  "`up --replace` of a new instance returns the same instance unchanged",
  "a state recorded by 6d4937a upgrades without changes, also after a refresh",
  "an API key in the configuration is rejected as plain text and stays encrypted as a secret"
]

const ON_PULUMI_PLUGIN: ReadonlyArray<Name> = [
  ...ON_PULUMI,
  "a preview fails where the update would, and announces purchases whose price is unknown",
  "a preview fails for an instance that another resource of the stack has",
  "a refused destroy changes nothing, and the next up restores the state",
  "refresh shows changes made outside, and the next up reverts them",
  "provisioning takes longer than the timeout: the ID is saved, and the next up waits again"
]

/**
 * Scenarios whose promises the unit tests of the lifecycles hold. `npm run test:long` plays them on the real engine
 * with both hosts.
 */
const LATER_ON_PULUMI: ReadonlyArray<Name> = [
  "a mistyped key of the configuration is refused with the nearest name",
  "a new generation replaces attached resources, as previewed; the old instance keeps its snapshots",
  "maxChargePerUpdate limits simultaneous and dependent purchases; the next update has its own limit",
  "a restore runs once per change of triggers, and only with allowDataLoss",
  "a price that rises during an update is not paid, with any maxCharge; the next preview shows it",
  "a preview warns of an instance that another stack may have; vps:idempotencyScope buys another",
  "a new generation is rejected by the policy fail; with stop it buys, and powers off the old instance",
  "a refused destroy deletes no snapshot without deletedWith either",
  "another service with the same account and instance numbers: every command fails, and nothing is changed",
  "a key of another account fails the preview of a stack that would not change; a new key of its own is accepted",
  "an IPv6 address in another spelling is the same PTR record",
  "refresh names the panel, where a person changed an instance, and an operator",
  "a plan and an ISO by name are those with the ids: another spelling changes nothing, and either resizes",
  "402 during ten creates: the state has the purchases, errors name the rest, the next up buys them",
  "a deleted instance leaves the state once the account is checked, and is not bought again",
  "a changed hostname and PTR record are updated in place",
  "refresh keeps secrets encrypted and finds no changes",
  "with another account's key, refresh fails, names the owner, and keeps the state",
  "all inputs changed at once need one power cycle; the preview lists the steps and no replacement"
]

/** The scenarios of a host that are left to `npm run test:long`: those of the other host, too. */
const laterWith = (played: ReadonlyArray<Name>): ReadonlyArray<Name> =>
  [...new Set([...ON_PULUMI, ...ON_PULUMI_DYNAMIC, ...ON_PULUMI_PLUGIN, ...LATER_ON_PULUMI])].filter((name) =>
    !played.includes(name)
  )

const only = (names: ReadonlyArray<Name>): Readonly<Record<string, Scenario>> =>
  Object.fromEntries(names.map((name) => [name, SCENARIOS[name]!]))

const without = (played: ReadonlyArray<Name>, excluded: ReadonlySet<string> = new Set()) =>
  Object.fromEntries(
    Object.entries(SCENARIOS).filter(([name]) => !excluded.has(name) && !played.includes(name as Name))
  )

/** Terraform's engine plays these; the others are about Pulumi's own: stacks, aliases, `deletedWith`, components. */
const ON_TERRAFORM: ReadonlyArray<Name> = [
  "preview shows the charge, up buys it once, a second up changes nothing",
  "a changed hostname and PTR record are updated in place",
  "refresh keeps secrets encrypted and finds no changes",
  "destroy fails by default; VPS_DELETION_POLICY=stop powers off; up continues with the instance",
  "a new generation is rejected by the policy fail; with stop it buys, and powers off the old instance",
  "all inputs changed at once need one power cycle; the preview lists the steps and no replacement",
  "a plan and an ISO by name are those with the ids: another spelling changes nothing, and either resizes",
  "refresh names the panel, where a person changed an instance, and an operator",
  "a restore runs once per change of triggers, and only with allowDataLoss",
  "an IPv6 address in another spelling is the same PTR record",
  "killed right after the POST: the next up continues with the same instance, charged once",
  "only the engine is killed: its provider stops, and the next up continues",
  "with another account's key, refresh fails, names the owner, and keeps the state",
  "a deleted instance leaves the state once the account is checked, and is not bought again",
  "402 during ten creates: the state has the purchases, errors name the rest, the next up buys them",
  "all responses to a purchase are lost: the error says so, and the next up continues",
  "each response during an update is lost once: each step runs once",
  "a price that rises during an update is not paid, with any maxCharge; the next preview shows it",
  "a preview warns of an instance that another stack may have; vps:idempotencyScope buys another",
  "another service with the same account and instance numbers: every command fails, and nothing is changed",
  "a key of another account fails the preview of a stack that would not change; a new key of its own is accepted"
]

/**
 * The scenarios about what the specification does not show, with what they need. All others play on the hosts of
 * `test/anyHost`, on each engine: a new scenario does, or is in this table.
 */
const NEEDS_EXTENSION: Partial<Record<Name, string>> = {
  "a price that rises during an update is not paid, with any maxCharge; the next preview shows it":
    "VPS-Max-Charge refuses a charge that has risen; without it, a client cannot bind the price",
  "a deleted instance leaves the state once the account is checked, and is not bought again":
    "a key whose instance is gone is only known where the orders show their keys",
  "refresh shows changes made outside, and the next up reverts them":
    "the activity feed says who changed an instance, and when",
  "refresh names the panel, where a person changed an instance, and an operator": "the panel, and the activity feed",
  "a preview warns of an instance that another stack may have; vps:idempotencyScope buys another":
    "a preview knows an earlier purchase where the orders show their keys",
  "a preview fails for an instance that another resource of the stack has":
    "a preview knows an earlier purchase where the orders show their keys",
  "a refused destroy changes nothing, and the next up restores the state":
    "a snapshot that has left the state is taken back by the time of its creation",
  "a state recorded by 6d4937a upgrades without changes, also after a refresh": "this service recorded it",
  "an IPv6 address in another spelling is the same PTR record": "the address is in provider_data, which is not shown"
}

const ON_ANY_HOST = (Object.keys(SCENARIOS) as ReadonlyArray<Name>).filter((name) => !(name in NEEDS_EXTENSION))

/** Those that wait for no sign, for every run of the tests in CI. */
const CORE_ON_ANY_HOST: ReadonlyArray<Name> = [
  "preview shows the charge, up buys it once, a second up changes nothing",
  "a changed hostname and PTR record are updated in place"
]

/** `npm test` plays this with the Terraform provider, on the test engine. */
const CORE_TERRAFORM: ReadonlyArray<Name> = ["only the engine is killed: its provider stops, and the next up continues"]

/** Promises to which the engine itself contributes. */
const ON_TOFU: ReadonlyArray<Name> = [
  "a price that rises during an update is not paid, with any maxCharge; the next preview shows it",
  "with another account's key, refresh fails, names the owner, and keeps the state",
  "402 during ten creates: the state has the purchases, errors name the rest, the next up buys them"
]

/**
 * Of each host: the scenarios of `npm test`, those on the test engine of `npm run test:ci` or `test:long`, and those on
 * the real `pulumi`, now or in `test:long`. What the plugin plays there needs no test engine.
 */
export const DYNAMIC = {
  core: only(CORE_DYNAMIC),
  rest: without(CORE_DYNAMIC),
  onPulumi: only(ON_PULUMI_DYNAMIC),
  laterOnPulumi: only(laterWith(ON_PULUMI_DYNAMIC))
}
export const PLUGIN = {
  core: only(CORE),
  rest: without([...CORE, ...ON_PULUMI_PLUGIN, ...LATER_ON_PULUMI], DYNAMIC_ONLY),
  onPulumi: only(ON_PULUMI_PLUGIN),
  laterOnPulumi: only(laterWith(ON_PULUMI_PLUGIN).filter((name) => !DYNAMIC_ONLY.has(name)))
}
export const ANY_HOST = {
  core: only(CORE_ON_ANY_HOST),
  first: only(CORE_ON_ANY_HOST.slice(0, 1)),
  dynamic: only(ON_ANY_HOST),
  plugin: only(ON_ANY_HOST.filter((name) => !DYNAMIC_ONLY.has(name))),
  terraform: only(ON_TERRAFORM.filter((name) => ON_ANY_HOST.includes(name)))
}
export const TERRAFORM = { core: only(CORE_TERRAFORM), onTofu: only(ON_TOFU), all: only(ON_TERRAFORM) }

/** The scenarios of the provider: one table for every engine and host, and the choices of it that the tiers make. */
import type { Environment } from "./Environment.ts"
import { ATTACHED } from "./scenarios/attached.ts"
import { DRIFT } from "./scenarios/drift.ts"
import { FAULTS } from "./scenarios/faults.ts"
import { FLEET } from "./scenarios/fleet.ts"
import { INPUTS } from "./scenarios/inputs.ts"
import { INSTANCE_CHANGES } from "./scenarios/instance-changes.ts"
import { INTERRUPTIONS } from "./scenarios/interruptions.ts"
import { LIFECYCLE } from "./scenarios/lifecycle.ts"
import { UPGRADES } from "./scenarios/upgrade.ts"

export type Scenario = (env: Environment) => Promise<void>

const NAMED = {
  ...LIFECYCLE,
  ...ATTACHED,
  ...INSTANCE_CHANGES,
  ...INTERRUPTIONS,
  ...FAULTS,
  ...DRIFT,
  ...INPUTS,
  ...FLEET
}

type Name = keyof typeof NAMED | keyof typeof UPGRADES

const SCENARIOS: Readonly<Record<Name, Scenario>> = { ...NAMED, ...UPGRADES }

/** Scenarios that only the dynamic provider has: the plugin marks any key in its configuration as a secret itself. */
const DYNAMIC_ONLY: ReadonlySet<string> = new Set<Name>([
  "the key from the configuration: plain text is refused, a secret works and stays one"
])

/** `npm test` plays these with the plugin: one for each promise of the provider. */
const CORE: ReadonlyArray<Name> = [
  "preview shows the charge, up buys it once, a second up changes nothing",
  "refresh keeps secrets secret and leaves nothing to do",
  "destroy fails by default and says what goes on; VPS_DELETION_POLICY=stop powers off; up takes it back",
  "a new generation is refused while the policy is fail; with stop it buys and lets the old one go",
  "everything at once is one power cycle; the preview says it all and would replace nothing",
  "a restore runs once per change of triggers, and only with allowDataLoss",
  "a component makes the server, its PTR record and a first snapshot; functions and costs are outputs",
  "killed right after the POST was sent: the next up yields the same server, one charge",
  "the engine alone killed: its orphaned provider does nothing more, and the next up goes on",
  "402 in the middle of ten creates: what was bought is in the state, the rest is named; the next up buys it",
  "the answer to the purchase is lost again and again: the error says so, and the next up takes the server",
  "every answer of an update is lost once: each step is done once",
  "vanished: proved by the account, taken out of the state, and never bought again silently"
]

/** `npm test` plays these with the dynamic provider: what its own host has a part in. */
const CORE_DYNAMIC: ReadonlyArray<Name> = [
  "preview shows the charge, up buys it once, a second up changes nothing",
  "the state names the line of the program that makes a resource, not one of ours",
  "destroy fails by default and says what goes on; VPS_DELETION_POLICY=stop powers off; up takes it back",
  "the key from the configuration: plain text is refused, a secret works and stays one",
  "the engine alone killed: its orphaned provider does nothing more, and the next up goes on"
]

/** Scenarios in which the engine itself has a part, so that the real one has to play them: on both hosts. */
const ON_PULUMI: ReadonlyArray<Name> = [
  "preview shows the charge, up buys it once, a second up changes nothing",
  "destroy fails by default and says what goes on; VPS_DELETION_POLICY=stop powers off; up takes it back",
  "a new generation is refused while the policy is fail; with stop it buys and lets the old one go",
  "`up --replace` of a server just bought leads to the same server, which is not touched",
  "the engine alone killed: its orphaned provider does nothing more, and the next up goes on",
  "a component makes the server, its PTR record and a first snapshot; functions and costs are outputs",
  "a state that 6d4937a recorded upgrades with no change, and again after a refresh"
]

const ON_PULUMI_DYNAMIC: ReadonlyArray<Name> = [
  ...ON_PULUMI,
  "the key from the configuration: plain text is refused, a secret works and stays one",
  "402 in the middle of ten creates: what was bought is in the state, the rest is named; the next up buys it",
  "vanished: proved by the account, taken out of the state, and never bought again silently",
  "no change of any input shows a replacement in the preview, but that of generation"
]

const ON_PULUMI_PLUGIN: ReadonlyArray<Name> = [
  ...ON_PULUMI,
  "a changed hostname and PTR are set in place, never by replacement",
  "refresh keeps secrets secret and leaves nothing to do",
  "another account's key: refresh fails, says whose server it is, and the state keeps it",
  "a machine slower than the timeout: its id is saved, and the next up waits on",
  "everything at once is one power cycle; the preview says it all and would replace nothing"
]

const only = (names: ReadonlyArray<Name>): Readonly<Record<string, Scenario>> =>
  Object.fromEntries(names.map((name) => [name, SCENARIOS[name]!]))

const without = (played: ReadonlyArray<Name>, excluded: ReadonlySet<string> = new Set()) =>
  Object.fromEntries(
    Object.entries(SCENARIOS).filter(([name]) => !excluded.has(name) && !played.includes(name as Name))
  )

/** Of each host: the scenarios of `npm test`, those of `npm run test:ci`, and those on the real `pulumi`. */
export const DYNAMIC = { core: only(CORE_DYNAMIC), rest: without(CORE_DYNAMIC), onPulumi: only(ON_PULUMI_DYNAMIC) }
export const PLUGIN = { core: only(CORE), rest: without(CORE, DYNAMIC_ONLY), onPulumi: only(ON_PULUMI_PLUGIN) }

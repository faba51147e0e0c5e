/**
 * The plan of an update: a list of steps from the observed instance, the recorded history and the program's inputs.
 * Pure, so that it can be read as a table. Each step is idempotent or looks before it acts, so a run that was cut off
 * anywhere continues by planning again.
 */
import { isEnded } from "../../api/Errors.ts"
import { same } from "../../definition/Properties.ts"
import { sameHostname } from "../../purchase/InstanceDetails.ts"
import type { BootMode, InstanceInputs } from "../Definition.ts"
import type { LastKnownState } from "../state/Outputs.ts"
import { allowDataLoss } from "../state/Messages.ts"
import type { Words } from "../../HostWords.ts"

export interface Observed {
  readonly id: number
  readonly status: string
  readonly suspendedReason: string | undefined
  readonly serviceId: number
  /** undefined: neither shown by the service nor recorded in the state. */
  readonly hostname: string | undefined
  readonly os: string | undefined
  readonly on: boolean
  /** undefined: not observed, because the program manages neither boot mode nor ISO. */
  readonly bootMode: BootMode | undefined
  /** undefined: none, or one that this resource does not manage. */
  readonly isoId: number | undefined
}

/** The records of the state and of the activity feed. */
export interface History {
  readonly state: LastKnownState
  /** It was on before this update, or a purchase wants it on: the target of power that the program does not manage. */
  readonly wasOn: boolean
  /** The boot mode is set, and nothing shows that the instance was rebooted since. */
  readonly rebootDue: boolean
}

export type Wanted = Pick<
  InstanceInputs,
  | "serviceId"
  | "hostname"
  | "os"
  | "powerState"
  | "bootMode"
  | "isoId"
  | "allowDataLoss"
  | "reinstallTriggers"
  | "passwordRotation"
  | "snapshotBefore"
>

export type Step =
  | { readonly do: "snapshot"; readonly prefix: string }
  /** `meanwhile`: a later step powers it on again. */
  | { readonly do: "stop"; readonly meanwhile?: true }
  | { readonly do: "start" }
  | { readonly do: "restart" }
  | { readonly do: "resize"; readonly serviceId: number }
  | { readonly do: "reinstall"; readonly os: string }
  | { readonly do: "mount"; readonly isoId: number }
  | { readonly do: "unmount" }
  | { readonly do: "boot"; readonly mode: BootMode }
  | { readonly do: "hostname"; readonly hostname: string }
  | { readonly do: "password" }

const needsResize = (observed: Observed, wanted: Wanted): boolean => observed.serviceId !== wanted.serviceId

const needsOtherOs = (observed: Observed, wanted: Wanted): boolean =>
  wanted.os !== undefined && observed.os !== undefined && wanted.os !== observed.os

/** The first triggers are only recorded. */
const isTriggered = (state: LastKnownState, wanted: Wanted): boolean =>
  state.reinstallTriggers !== undefined && wanted.reinstallTriggers !== undefined
  && !same(state.reinstallTriggers, wanted.reinstallTriggers)

const needsReinstall = (observed: Observed, { state }: History, wanted: Wanted): boolean =>
  needsOtherOs(observed, wanted) || isTriggered(state, wanted)

export const needsRotation = ({ state }: Pick<History, "state">, wanted: Wanted): boolean =>
  wanted.passwordRotation !== undefined && wanted.passwordRotation !== state.passwordRotation

/** The reason why the state of the instance allows no changes, or no heavy ones: a resize or a reinstall. */
export const blockedBy = (
  { assign, program }: Words,
  { status, suspendedReason }: Pick<Observed, "status" | "suspendedReason">,
  heavy: boolean,
  bootMode: unknown
): string | undefined => {
  if (status === "suspended") {
    const reason = suspendedReason === undefined ? "" : ` (${suspendedReason})`
    return `it is suspended${reason}, and cannot be changed until the suspension ends`
  }
  if (isEnded(status)) {
    return status === "expired"
      ? "it has expired; topping up the wallet within a few days renews it"
      : `it is ${status}`
  }
  if (!heavy || status !== "rescue" || bootMode !== undefined) return undefined
  return `it is in rescue mode, which this ${program} does not manage, so someone may be working on it. `
    + `Set ${assign("bootMode", "\"disk\"")} to leave rescue mode first`
}

/** The reason why the whole plan is blocked; undefined when it can start. */
export const obstacle = (
  words: Words,
  observed: Observed,
  remembered: History,
  wanted: Wanted
): string | undefined => {
  const steps = plan(observed, remembered, wanted)
  if (steps.length === 0) return undefined
  const heavy = steps.some((step) => step.do === "resize" || step.do === "reinstall")
  const blocked = blockedBy(words, observed, heavy, wanted.bootMode)
  if (blocked !== undefined) return blocked
  const reinstall = steps.find((step) => step.do === "reinstall")
  if (reinstall?.os === "") return "a reinstall is due, but its operating system is unknown. Set os"
  if (reinstall === undefined || wanted.allowDataLoss === true) return undefined
  const instead = needsOtherOs(observed, wanted)
    ? `set ${words.assign("os", `"${observed.os}"`)}`
    : `restore the previous ${words.input("reinstallTriggers")}`
  return `a reinstall with ${reinstall.os} deletes everything on its disk. ${
    allowDataLoss(words)
  }, or ${instead} to keep `
    + "the data"
}

/** Many changes share one power cycle. */
export const plan = (observed: Observed, remembered: History, wanted: Wanted): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  const machine = { on: observed.on, bootMode: observed.bootMode ?? inferBootMode(observed.status) }
  const rotate = needsRotation(remembered, wanted)
  planRebuild(steps, machine, observed, remembered, wanted)
  planIso(steps, observed, wanted)
  const mode = wanted.bootMode ?? machine.bootMode
  // The rescue system has no password, and as the last step the password, which is returned once, is the safest.
  if (rotate && mode === "rescue") steps.push({ do: "password" })
  if (mode !== machine.bootMode) {
    steps.push({ do: "boot", mode })
    machine.on = true
  } else if (remembered.rebootDue) steps.push({ do: "restart" })
  const on = wanted.powerState === undefined ? remembered.wasOn : wanted.powerState === "running"
  const power: ReadonlyArray<Step> = on === machine.on ? [] : [{ do: on ? "start" : "stop" }]
  // The system itself changes its host name, so it has to run.
  steps.push(...(on ? [...power, ...planHostname(observed, wanted)] : [...planHostname(observed, wanted), ...power]))
  if (rotate && mode !== "rescue") steps.push({ do: "password" })
  return steps
}

const planHostname = ({ hostname: known }: Observed, { hostname }: Wanted): ReadonlyArray<Step> =>
  hostname === undefined || sameHostname(hostname, known) ? [] : [{ do: "hostname", hostname }]

interface MachineState {
  on: boolean
  bootMode: BootMode
}

/** A running instance that is not in rescue mode has booted its disk; one that is off will. */
const inferBootMode = (status: string): BootMode => status === "rescue" ? "rescue" : "disk"

/** The steps that change the disk or the hardware: snapshot, resize, reinstall. */
const planRebuild = (
  steps: Array<Step>,
  machine: MachineState,
  observed: Observed,
  remembered: History,
  wanted: Wanted
): void => {
  const resize = needsResize(observed, wanted)
  const reinstall = needsReinstall(observed, remembered, wanted)
  if (!resize && !reinstall) return
  // Neither a snapshot nor a resize is possible in rescue mode.
  if (machine.on && machine.bootMode === "rescue") {
    steps.push({ do: "boot", mode: "disk" })
    machine.bootMode = "disk"
  }
  if (wanted.snapshotBefore !== undefined) steps.push({ do: "snapshot", prefix: wanted.snapshotBefore })
  if (resize) {
    if (machine.on) steps.push({ do: "stop", meanwhile: true })
    machine.on = false
    steps.push({ do: "resize", serviceId: wanted.serviceId })
  }
  if (reinstall) {
    steps.push({ do: "reinstall", os: wanted.os ?? observed.os ?? "" })
    // The new system boots from its disk.
    machine.on = true
    machine.bootMode = "disk"
  }
}

/** The virtual drive. An image that this resource mounted is unmounted when the program no longer has it. */
const planIso = (steps: Array<Step>, { isoId: mounted }: Observed, { isoId }: Wanted): void => {
  if (isoId !== undefined && isoId !== mounted) steps.push({ do: "mount", isoId })
  if (isoId === undefined && mounted !== undefined) steps.push({ do: "unmount" })
}

const PHRASES: { readonly [Name in Step["do"]]: (step: Extract<Step, { readonly do: Name }>) => string } = {
  snapshot: ({ prefix }) => `take a snapshot (${prefix}-...)`,
  stop: () => "power off",
  start: () => "power on",
  restart: () => "reboot",
  resize: ({ serviceId }) => `resize to plan ${serviceId}`,
  reinstall: ({ os }) => `reinstall with ${os}`,
  mount: ({ isoId }) => `mount ISO ${isoId}`,
  unmount: () => "unmount the ISO",
  boot: ({ mode }) => mode === "rescue" ? "reboot into rescue mode" : "reboot from the disk",
  hostname: ({ hostname }) => `set the host name ${hostname}`,
  password: () => "set a new root password"
}

/** For messages: "power off", "resize to plan 2". */
export const describeStep = (step: Step): string => (PHRASES[step.do] as (step: Step) => string)(step)

export const describeSteps = (steps: ReadonlyArray<Step>): string => steps.map(describeStep).join(", ")

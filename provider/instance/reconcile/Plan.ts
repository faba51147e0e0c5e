/**
 * The one order of work: from what is observed, what state remembers and what the program wants to a list of steps.
 * Pure, so that it can be read as a table; each step is idempotent or looks before it acts, so a run that was cut off
 * anywhere is gone on with by planning again.
 */
import { same } from "../../definition/Properties.ts"
import type { BootMode, InstanceInputs } from "../Definition.ts"
import { type LastKnownState, sameHostname } from "../state/LastKnownState.ts"
import { isEnded } from "../../api/InstanceStatus.ts"

export interface Observed {
  readonly id: number
  readonly status: string
  readonly suspendedReason: string | undefined
  readonly serviceId: number
  /** undefined: neither shown by the host nor remembered. */
  readonly hostname: string | undefined
  readonly os: string | undefined
  readonly on: boolean
  /** undefined: not asked for, because the program manages neither boot mode nor ISO. */
  readonly bootMode: BootMode | undefined
  /** undefined: none, or one that is not this resource's to unmount. */
  readonly isoId: number | undefined
}

/** What state and the activity feed remember. */
export interface History {
  readonly state: LastKnownState
  /** It was on before this update, or is wanted back: power that nobody manages is put back to this. */
  readonly wasOn: boolean
  /** The boot mode is set, and nothing shows that the server was rebooted since. */
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
  /** `meanwhile`: only until another step is done. */
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

/** Triggers that are given first are only recorded. */
const isTriggered = (state: LastKnownState, wanted: Wanted): boolean =>
  state.reinstallTriggers !== undefined && wanted.reinstallTriggers !== undefined
  && !same(state.reinstallTriggers, wanted.reinstallTriggers)

const needsReinstall = (observed: Observed, { state }: History, wanted: Wanted): boolean =>
  needsOtherOs(observed, wanted) || isTriggered(state, wanted)

export const needsRotation = ({ state }: Pick<History, "state">, wanted: Wanted): boolean =>
  wanted.passwordRotation !== undefined && wanted.passwordRotation !== state.passwordRotation

/** What stands in the way of all of it: then nothing is begun. */
export const obstacle = (observed: Observed, remembered: History, wanted: Wanted): string | undefined => {
  const steps = plan(observed, remembered, wanted)
  if (steps.length === 0) return undefined
  if (observed.status === "suspended") {
    const reason = observed.suspendedReason === undefined ? "" : ` (${observed.suspendedReason})`
    return `it is suspended${reason}, and takes no changes until that is over`
  }
  if (isEnded(observed.status)) {
    return observed.status === "expired"
      ? "it has expired; a top-up of the wallet within a few days renews it"
      : `it is ${observed.status}`
  }
  const heavy = steps.some((step) => step.do === "resize" || step.do === "reinstall")
  if (heavy && observed.status === "rescue" && wanted.bootMode === undefined) {
    return "it is in rescue mode, which this program does not manage, so somebody may be at work on it; "
      + "bootMode: \"disk\" leaves rescue mode first"
  }
  const reinstall = steps.find((step) => step.do === "reinstall")
  if (reinstall?.os === "") return "it is to be reinstalled, and its system is not known: set os"
  if (reinstall === undefined || wanted.allowDataLoss === true) return undefined
  const instead = needsOtherOs(observed, wanted) ? `os: "${observed.os}"` : "the reinstallTriggers as they were"
  return `a reinstall with ${reinstall.os} deletes everything on its disk. Set allowDataLoss: true to have that done `
    + `(snapshotBefore takes a snapshot first), or ${instead} to keep the system`
}

/** See rule 8 of the design: one power cycle for many changes. */
export const plan = (observed: Observed, remembered: History, wanted: Wanted): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  const machine = { on: observed.on, bootMode: observed.bootMode ?? inferBootMode(observed.status) }
  const rotate = needsRotation(remembered, wanted)
  planRebuild(steps, machine, observed, remembered, wanted)
  planIso(steps, observed, wanted)
  const mode = wanted.bootMode ?? machine.bootMode
  // The rescue system takes no password, and the last step is the safest place for an answer that comes once.
  if (rotate && mode === "rescue") steps.push({ do: "password" })
  if (mode !== machine.bootMode) {
    steps.push({ do: "boot", mode })
    machine.on = true
  } else if (remembered.rebootDue) steps.push({ do: "restart" })
  if (wanted.hostname !== undefined && !sameHostname(wanted.hostname, observed.hostname)) {
    steps.push({ do: "hostname", hostname: wanted.hostname })
  }
  const on = wanted.powerState === undefined ? remembered.wasOn : wanted.powerState === "running"
  if (on !== machine.on) steps.push({ do: on ? "start" : "stop" })
  if (rotate && mode !== "rescue") steps.push({ do: "password" })
  return steps
}

interface Machine {
  on: boolean
  bootMode: BootMode
}

/** A server that runs and is not in rescue mode has booted its disk; one that is off is taken to do so. */
const inferBootMode = (status: string): BootMode => status === "rescue" ? "rescue" : "disk"

/** Snapshot, resize, reinstall: what the disk or the hardware is touched by. */
const planRebuild = (
  steps: Array<Step>,
  machine: Machine,
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

/** The virtual drive. An image that this resource mounted goes when the program no longer names it. */
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

/** For people: "power off", "resize to plan 2". */
export const describeStep = (step: Step): string => (PHRASES[step.do] as (step: Step) => string)(step)

export const describeSteps = (steps: ReadonlyArray<Step>): string => steps.map(describeStep).join(", ")

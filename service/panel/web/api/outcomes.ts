/** The ends of tasks in the customer's words, and the tasks that this browser tab waits for. */
import type { AccountTask } from "../../contract/TaskCalls.ts"
import { makeStore } from "./store.ts"
import { words } from "./format.ts"

interface Outcome {
  /** As in a list of tasks; absent: the words of the type. */
  readonly name?: string
  /** As in "Restore failed"; absent: the words of the type. */
  readonly badge?: string
  /** As in "web-1 was restarted". */
  readonly participle: string
  /** Before the name of the instance; absent: the instance itself. */
  readonly subject?: string
  /** The state of the instance after a failure. */
  readonly after: string
  /** The tab on which the request can be repeated; absent: the buttons above the tabs. */
  readonly tab?: string
}

/** By the type of the task: of each that customers request. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  provision: {
    name: "Deploy",
    badge: "Order",
    participle: "deployed",
    after: "The charge was refunded to your wallet."
  },
  start: { participle: "started", after: "It is still off." },
  stop: { participle: "stopped", after: "It may still be running." },
  restart: { participle: "restarted", after: "It may be off: see its status." },
  reinstall: {
    participle: "reinstalled",
    after: "Its disk may be erased already. Reinstall it again, or restore a backup.",
    tab: "settings"
  },
  resize: { participle: "resized", after: "It has its previous plan. What was charged is refunded.", tab: "resize" },
  snapshot_create: {
    name: "Take a snapshot",
    badge: "Snapshot",
    subject: "A snapshot of",
    participle: "taken",
    after: "No snapshot was made.",
    tab: "snapshots"
  },
  snapshot_delete: {
    name: "Delete a snapshot",
    badge: "Deletion",
    subject: "A snapshot of",
    participle: "deleted",
    after: "It may still be in the list.",
    tab: "snapshots"
  },
  snapshot_restore: {
    name: "Restore a snapshot",
    badge: "Restore",
    participle: "restored from the snapshot",
    after: "Its disk may be incomplete. Restore it again before you use it.",
    tab: "snapshots"
  },
  backup_restore: {
    name: "Restore a backup",
    badge: "Restore",
    participle: "restored from the backup",
    after: "Its disk may be incomplete. Restore it again before you use it.",
    tab: "backups"
  },
  iso_mount: {
    name: "Mount an ISO image",
    badge: "ISO image",
    subject: "The ISO drive of",
    participle: "changed",
    after: "The drive may be as it was before.",
    tab: "rescue"
  },
  iso_unmount: {
    name: "Unmount the ISO image",
    badge: "ISO image",
    subject: "The ISO drive of",
    participle: "changed",
    after: "The drive may be as it was before.",
    tab: "rescue"
  },
  rescue_enter: {
    name: "Enter rescue mode",
    badge: "Rescue mode",
    participle: "put into rescue mode",
    after: "It boots from its disk.",
    tab: "rescue"
  },
  rescue_exit: {
    name: "Leave rescue mode",
    badge: "Rescue mode",
    participle: "taken out of rescue mode",
    after: "It boots the rescue system.",
    tab: "rescue"
  },
  set_hostname: {
    name: "Change the hostname",
    badge: "Hostname",
    participle: "renamed",
    after: "It has its previous name.",
    tab: "settings"
  },
  set_rdns: {
    name: "Set reverse DNS",
    badge: "Reverse DNS",
    subject: "A PTR record of",
    participle: "changed",
    after: "It may have its previous name.",
    tab: "network"
  },
  reset_password: {
    name: "Reset the root password",
    badge: "Password",
    subject: "The root password of",
    participle: "reset",
    after: "The old password may be invalid. Reset it again.",
    tab: "settings"
  }
}

type Ended = Pick<AccountTask, "type" | "hostname" | "error" | "instance_id">

const outcomeOf = ({ type }: Pick<Ended, "type">): Outcome =>
  OUTCOMES[type] ?? { subject: `${words(type)} of`, participle: "completed", after: "See its activity." }

const sentence = ({ hostname, type }: Ended, verb: string): string => {
  const { participle, subject } = outcomeOf({ type })
  return `${subject === undefined ? "" : `${subject} `}${hostname} ${verb} ${participle}.`
}

export const successOf = (task: Ended): string => sentence(task, "was")
export const failureOf = (task: Ended): string => sentence(task, "could not be")

/** Tasks that no customer requests. */
const OTHERS: Readonly<Record<string, string>> = {
  backup_create: "Nightly backup",
  renew: "Renew",
  set_auto_renew: "Change auto-renew",
  move: "Move to another host",
  terminate: "Delete"
}

export const taskName = (type: string): string => OUTCOMES[type]?.name ?? OTHERS[type] ?? words(type)

/** A short name of a failure, for a list. */
export const badgeOf = ({ type }: Pick<Ended, "type">): string => `${OUTCOMES[type]?.badge ?? words(type)} failed`

const GAVE_UP = /^gave up after (\d+) attempts: /

/** The service writes errors for programs: a clause, with its own word for an instance and for its host. */
export const causeOf = ({ error }: Pick<Ended, "error">): string => {
  if (error === null || error === "" || error === "internal error") return "The service had an internal error."
  const attempts = GAVE_UP.exec(error)?.[1]
  const text = error.replace(GAVE_UP, "").replaceAll(/\bthe machine\b/g, "the instance")
    .replaceAll(/\bthe upstream\b/g, "the host")
  const clause = text.charAt(0).toUpperCase() + text.slice(1)
  return `${/[.!?]$/.test(clause) ? clause : `${clause}.`}${
    attempts === undefined ? "" : ` It was tried ${attempts} times.`
  }`
}

/** The state of the instance after a failure, in a sentence. */
export const afterOf = (task: Ended): string => outcomeOf(task).after

export const instanceHref = (id: number, tab?: string): string =>
  `/panel/instances/${id}${tab === undefined ? "" : `/${tab}`}`

/** The page on which a failed request can be repeated. */
export const retryHref = (task: Ended): string => instanceHref(task.instance_id, outcomeOf(task).tab ?? "overview")

const WAITING = "waiting"

const stored = (): ReadonlyArray<number> => {
  try {
    return JSON.parse(sessionStorage.getItem(WAITING) ?? "[]") as ReadonlyArray<number>
  } catch {
    return []
  }
}

/** The ids of the tasks that this tab waits for: also after it was reloaded. */
export const waiting = makeStore<ReadonlyArray<number>>(stored())

/** The service returns at most so many. */
const WAITING_MAX = 50

const setWaiting = (ids: ReadonlyArray<number>): void => {
  sessionStorage.setItem(WAITING, JSON.stringify(ids))
  waiting.set(ids)
}

/** Reports the end of a task, on any page. */
export const waitFor = (id: number | null): void => {
  if (id !== null && !waiting.get().includes(id)) setWaiting([...waiting.get(), id].slice(-WAITING_MAX))
}

export const stopWaiting = (ids: ReadonlyArray<number>): void =>
  setWaiting(waiting.get().filter((id) => !ids.includes(id)))

/**
 * How an update recognises its own work when it was cut off and is run again: every request that must not be sent twice
 * carries an `X-Request-Id` made of the server, the update and the step, and the activity feed shows it. An update is
 * named by its epoch: the moment at which the state took in what the one before it had done.
 */
import { createHash } from "node:crypto"

export type RequestStep = "stop" | "resize" | "reinstall" | "boot" | "password"

const digest = (parts: ReadonlyArray<unknown>): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex")

/** 128 bits are enough never to meet another one. */
const REQUEST_ID_DIGITS = 32

/** `value` is what the step brings about: another one is another request. */
export const requestIdOf = (id: number, revision: string | undefined, step: RequestStep, value?: unknown): string =>
  `pulumi-${digest([id, revision ?? null, step, value ?? null]).slice(0, REQUEST_ID_DIGITS)}`

/** Told apart from the few snapshots that a server can have. */
const NAME_DIGITS = 8

/** The name under which this update's snapshot is looked up before one is taken. */
export const snapshotName = (prefix: string, id: number, revision: string | undefined): string =>
  `${prefix}-${digest([id, revision ?? null, "snapshot"]).slice(0, NAME_DIGITS)}`

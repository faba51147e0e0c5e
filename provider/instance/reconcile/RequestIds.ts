/**
 * The request ids by which an update that was cut off recognizes its own work in the next run: every request that must
 * not be sent twice has an `X-Request-Id` derived from the instance, the update and the step, and the activity feed
 * shows it. The revision identifies the update: the time at which the state recorded the previous one.
 */
import { createHash } from "node:crypto"

export type RequestStep = "stop" | "resize" | "reinstall" | "boot" | "password"

const digest = (parts: ReadonlyArray<unknown>): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex")

/** 128 bits never collide. */
const REQUEST_ID_DIGITS = 32

/** `value` is the step's target: another target is another request. */
export const requestIdOf = (id: number, revision: string | undefined, step: RequestStep, value?: unknown): string =>
  `pulumi-${digest([id, revision ?? null, step, value ?? null]).slice(0, REQUEST_ID_DIGITS)}`

/** True for a request of an update, of this stack or another. */
export const isRequestId = (requestId: string | null | undefined): boolean => requestId?.startsWith("pulumi-") === true

/** Enough to distinguish the few snapshots of an instance. */
const NAME_DIGITS = 8

/** The name of this update's snapshot, which is looked up before one is taken. */
export const snapshotName = (prefix: string, id: number, revision: string | undefined): string =>
  `${prefix}-${digest([id, revision ?? null, "snapshot"]).slice(0, NAME_DIGITS)}`

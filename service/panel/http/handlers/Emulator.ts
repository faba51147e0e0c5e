/** The controls of an emulator. */
import * as Effect from "effect/Effect"
import { EmulatorControls } from "../EmulatorControls.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { Refused } from "../Visitor.ts"

const noEmulator = new Refused({ status: 404, message: "This service is not an emulator, so it has no such controls." })

/** Names come decoded, and are encoded again for the control's own path. */
const control = Effect.fnUntraced(function*(method: string, names: ReadonlyArray<string>, body?: unknown) {
  const run = yield* EmulatorControls
  if (run === undefined) return yield* noEmulator
  return yield* run(method, `/${names.map(encodeURIComponent).join("/")}`, body)
})

export const emulator: PanelHandlers<"emulator"> = {
  clock: () => control("GET", ["clock"]),
  set_clock: ({ payload }) => control("POST", ["clock"], payload),
  set_deploy: ({ payload }) => control("PUT", ["deploy"], payload),
  faults: () => control("GET", ["faults"]),
  add_fault: ({ payload }) => control("POST", ["faults"], payload),
  clear_faults: () => control("DELETE", ["faults"]),
  requests: () => control("GET", ["requests"]),
  clear_requests: () => control("DELETE", ["requests"]),
  mails: () => control("GET", ["mails"]),
  clear_mails: () => control("DELETE", ["mails"]),
  states: () => control("GET", ["states"]),
  save_state: ({ params: { name } }) => control("POST", ["states", name]),
  restore_state: ({ params: { name } }) => control("POST", ["states", name, "restore"]),
  reset: () => control("POST", ["reset"]),
  ledger: () => control("GET", ["ledger"])
}

/** The controls of an emulator. */
import * as Effect from "effect/Effect"
import { EmulatorControls } from "../EmulatorControls.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { Refused } from "../Refused.ts"

const noEmulator = new Refused({ status: 404, message: "This service is not an emulator, so it has no such controls." })

/** Names come decoded, and are encoded again for the control's own path. */
const control = Effect.fnUntraced(function*(method: string, names: ReadonlyArray<string>, body?: unknown) {
  const run = yield* EmulatorControls
  if (run === undefined) return yield* noEmulator
  return yield* run(method, `/${names.map(encodeURIComponent).join("/")}`, body)
})

export const emulator: PanelHandlers<"emulator"> = {
  show: ({ params }) => control("GET", [params.control]),
  post: ({ params, payload }) => control("POST", [params.control], payload),
  put: ({ params, payload }) => control("PUT", [params.control], payload),
  clear: ({ params }) => control("DELETE", [params.control]),
  show_one: ({ params }) => control("GET", [params.control, params.name]),
  post_one: ({ params, payload }) => control("POST", [params.control, params.name], payload),
  remove_one: ({ params }) => control("DELETE", [params.control, params.name]),
  restore: ({ params, payload }) => control("POST", [params.control, params.name, "restore"], payload)
}

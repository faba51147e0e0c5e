/** The emulator's controls. */
import { call } from "../../api/client.ts"
import { refreshAll } from "../../api/query.ts"

export const CONTROLS = "/emulator"

/** Executes a control. It may change everything that a screen shows, so all is read again. */
export const control = async (method: "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<void> => {
  await call(method, CONTROLS + path, method === "DELETE" ? {} : { body: body ?? {} })
  refreshAll()
}

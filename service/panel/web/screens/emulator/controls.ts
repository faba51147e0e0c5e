/** The emulator's controls. */
import { refreshAll } from "../../api/query.ts"

/** A function that executes a control. It may change everything that a screen shows, so all is read again. */
export const changing = (control: () => Promise<unknown>, text?: string) => async (): Promise<string | void> => {
  await control()
  refreshAll()
  return text
}

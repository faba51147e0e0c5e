/** The port that the panel is reached at on this computer: `--port 0` leaves the choice to the system. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/** Undefined until the service listens, and in a command that runs without it. */
export const PanelPort = Context.Reference<{ current: number | undefined }>("@pulumi-vps/service/PanelPort", {
  defaultValue: () => ({ current: undefined })
})

/** One for each service: several can run in one process. */
export const layer = Layer.sync(PanelPort, () => ({ current: undefined }))

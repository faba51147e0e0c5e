/** The drivers, by the values of the `driver` setting. A driver is a folder in `drivers/` and a row here. */
import * as Simulated from "./drivers/simulated/Simulated.ts"

export const DRIVERS = { simulated: Simulated.layer }

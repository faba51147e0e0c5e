/** The memory of a process that serves resources: it lives for seconds, beside a program that needs its own. */
import { setFlagsFromString } from "node:v8"

/**
 * V8 doubles the room for young objects again and again, and so holds 20 to 40 MB of garbage when 300 resources are
 * made. Kept as small as it begins, it is emptied more often, for a twentieth of this process's time, which nobody
 * waits for. Only for a process of our own: a program that loads us is left alone.
 */
export const limitHeapGrowth = (): void => setFlagsFromString("--semi-space-growth-factor=1")

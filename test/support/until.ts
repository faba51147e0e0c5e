/** The one way in which tests wait for what other processes and real time bring about. */
import { setTimeout } from "node:timers/promises"

interface Options {
  /** Longest wait, in milliseconds. Default: the test's own timeout bounds it. */
  readonly millis?: number
  /** Between two reads, in milliseconds. Default: 20. */
  readonly pause?: number
}

/** Reads a value until it is so, by default until it is truthy; returns it. */
export const until = async <A>(
  read: () => A | Promise<A>,
  isSo: (value: A) => boolean = Boolean,
  { millis = Infinity, pause = 20 }: Options = {}
): Promise<A> => {
  const end = performance.now() + millis
  for (;;) {
    const value = await read()
    if (isSo(value)) return value
    if (performance.now() > end) throw new Error(`after ${millis} ms: ${JSON.stringify(value)}`)
    await setTimeout(pause)
  }
}

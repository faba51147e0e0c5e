/** Faults that a test sets, with the words of the emulator's control: a status, or a lost response. */

export interface Fault {
  readonly operation: string
  /** Refuses with it, before anything happens. */
  readonly status?: number
  /** Loses the response, after all has happened. */
  readonly drop_connection?: "after"
  /** Applies to this many requests, and then no more. */
  readonly count?: number
  readonly probability?: number
  readonly seed?: number
}

/** By method and the last segments of the path. */
const OPERATIONS: Readonly<Record<string, string>> = {
  "POST instances": "instances.create",
  "PATCH hostname": "instances.hostname",
  "POST resize": "instances.resize",
  "POST reinstall": "instances.reinstall",
  "POST reset-password": "instances.reset_password",
  "POST stop": "power.stop",
  "POST start": "power.start",
  "POST snapshots": "snapshots.create",
  "POST iso": "isos.mount"
}

/** A multiplier and an increment that visit all 32-bit numbers. */
const drawAfter = (seed: number): number => (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
const RANGE = 2 ** 32

export class Faults {
  readonly #rules: Array<{ readonly fault: Fault; left: number; drawn: number }> = []

  add(fault: Fault): void {
    if (!Object.values(OPERATIONS).includes(fault.operation)) throw new Error(`${fault.operation} has no faults here`)
    this.#rules.push({ fault, left: fault.count ?? Infinity, drawn: fault.seed ?? 1 })
  }

  clear(): void {
    this.#rules.splice(0)
  }

  /** The fault of this request, if it has one. A dry run has none. */
  take(method: string, url: string): Fault | undefined {
    const { pathname, searchParams } = new URL(url, "http://host.test")
    const operation = OPERATIONS[`${method} ${pathname.split("/").at(-1)}`]
    if (operation === undefined || searchParams.get("dry_run") === "true") return undefined
    for (const rule of this.#rules) {
      if (rule.fault.operation !== operation || rule.left === 0) continue
      rule.drawn = drawAfter(rule.drawn)
      if (rule.drawn / RANGE >= (rule.fault.probability ?? 1)) continue
      rule.left--
      return rule.fault
    }
    return undefined
  }
}

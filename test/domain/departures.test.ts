/** The machines that count as shut down by their owners. */
import { assert, describe, it } from "@effect/vitest"
import { type Departures, departures } from "#service/domain/Departures"
import type { Finding } from "#service/domain/Finding"
import { hostContents, listedMachine } from "../support/hostContents.ts"

const WAIT = 600
const TAGS = ["instance-1", "instance-2", "instance-3"]

const machine = (tag: string, power: "on" | "off") => listedMachine(tag, { power })

/** An audit of a host at a time: the machines that are off and recorded as on, and the connection to it. */
interface Audit {
  readonly at: number
  readonly off: ReadonlyArray<string>
  readonly connection?: number
}

const contentsOf = ({ connection = 1, off }: Audit) =>
  hostContents("alpha", TAGS.map((tag) => machine(tag, off.includes(tag) ? "off" : "on")), { connection })

/** The machines that are decided in the last audit. */
const decidedAt = (audits: ReadonlyArray<Audit>): ReadonlyArray<string> => {
  let known: Departures = new Map()
  let decided: ReadonlySet<string> = new Set()
  for (const audit of audits) {
    const findings = audit.off.map((tag): Finding => (
      { kind: "power", tag, instanceId: null, hosts: ["alpha"], detail: "", repair: "record_off" }
    ))
    const next = departures(known, [contentsOf(audit)], findings, audit.at, WAIT)
    known = next.known
    decided = next.decided
  }
  return [...decided]
}

describe("a machine that went off", () => {
  const [one, two, three] = TAGS as [string, string, string]

  it.each(
    [
      ["is undecided at first", [{ at: 0, off: [one] }], []],
      ["is undecided before the wait has passed", [{ at: 0, off: [one] }, { at: WAIT - 1, off: [one] }], []],
      ["was shut down by its owner if its host stays up for the wait", [{ at: 0, off: [one] }, {
        at: WAIT,
        off: [one]
      }], [one]],
      ["is undecided if the connection was lost meanwhile", [{ at: 0, off: [one] }, {
        at: WAIT,
        off: [one],
        connection: 2
      }], []],
      [
        "is decided once the new connection has lasted for the wait",
        [{ at: 0, off: [one] }, { at: 10, off: [one], connection: 2 }, { at: WAIT + 10, off: [one], connection: 2 }],
        [one]
      ],
      ["is undecided if it ran meanwhile", [{ at: 0, off: [one] }, { at: 10, off: [] }, { at: WAIT, off: [one] }], []],
      [
        "is undecided while others of its host go off one after the other",
        [{ at: 0, off: [one] }, { at: 500, off: [one, two] }, { at: WAIT, off: [one, two] }],
        []
      ],
      [
        "is decided once all of them have been off for the wait",
        [{ at: 0, off: [one] }, { at: 500, off: [one, two] }, { at: WAIT + 500, off: [one, two] }],
        [one, two]
      ],
      [
        "is decided after six waits, also if others go off again and again",
        [{ at: 0, off: [one] }, { at: 6 * WAIT, off: [one, two] }],
        [one]
      ],
      ["is never decided while no machine of its host runs", [{ at: 0, off: TAGS }, { at: 100 * WAIT, off: TAGS }], []]
    ] as const
  )("%s", (_, audits, expected) => assert.deepStrictEqual(decidedAt(audits), [...expected]))

  it("is decided although it is the only one of its host", () => {
    const alone = (at: number, known: Departures) =>
      departures(
        known,
        [{ ...contentsOf({ at, off: [three] }), machines: [machine(three, "off")] }],
        [{ kind: "power", tag: three, instanceId: null, hosts: ["alpha"], detail: "", repair: "record_off" }],
        at,
        WAIT
      )
    assert.deepStrictEqual([...alone(WAIT, alone(0, new Map()).known).decided], [three])
  })
})

/** The base class of our resources: it reports the line of the program that created a resource. */
import type * as pulumi from "@pulumi/pulumi"
import { CustomResource } from "@pulumi/pulumi/resource.js"
import { fileURLToPath } from "node:url"

/** Files below are the package's own, not the program's. */
const PACKAGE_ROOT = fileURLToPath(new URL("..", import.meta.url))
/** Frames between the program and us: our component, and the program's own helpers. */
const FRAMES = 10
/** Frames that the SDK skips as its own. */
const SKIPPED = 5

/** `    at name (file:line:column)` as the SDK reads it, which supports neither URLs nor frames without a name. */
const asFrame = (line: string): string | undefined => {
  const bracket = line.lastIndexOf(" (")
  const place = bracket === -1 ? line.replace(/^ *at (?:async )?/, "") : line.slice(bracket + 2, -1)
  const [column = "", row = "", ...rest] = place.split(":").toReversed()
  const file = rest.toReversed().join(":")
  if (file === "" || file.startsWith("node:")) return undefined
  return `    at program (${file.startsWith("file:") ? fileURLToPath(file) : file}:${row}:${column})`
}

/** The line of the program that creates a resource of this class, in the SDK's format; undefined when none is found. */
const lineThatCreates = (resource: NewableFunction): string | undefined => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = FRAMES
  const trace = { stack: "" }
  Error.captureStackTrace(trace, resource)
  const [, ...lines] = trace.stack.split("\n")
  Error.stackTraceLimit = stackTraceLimit
  return lines.map(asFrame).find((frame) => frame !== undefined && !frame.includes(`(${PACKAGE_ROOT}`))
}

export abstract class VpsResource extends CustomResource {
  /** False for a resource that the program only reads. */
  readonly #isManaged: boolean

  /**
   * The SDK sends the engine the whole stack trace of every resource, with a file of ours as the place of its creation.
   * The engine stores that, and writes the whole state after each step: a tenth of the cost of an `up` of hundreds of
   * instances. So the SDK gets the line of the program alone. It also records a stack trace for each of the four
   * promises behind each output, to report leaks: a third of the CPU time of such a program. None of them can leak
   * unless the engine is gone.
   */
  constructor(type: string, name: string, properties: pulumi.Inputs, opts?: pulumi.CustomResourceOptions) {
    const line = lineThatCreates(new.target)
    const { prepareStackTrace, stackTraceLimit } = Error
    const shown = `Error${"\n".repeat(SKIPPED)}${line === undefined ? "" : `\n${line}`}`
    Error.stackTraceLimit = 0
    Error.prepareStackTrace = (error, sites) => sites.length === 0 ? String(error) : shown
    try {
      super(type, name, properties, opts)
    } finally {
      Error.prepareStackTrace = prepareStackTrace
      Error.stackTraceLimit = stackTraceLimit
    }
    this.#isManaged = opts?.id === undefined
  }

  get isManaged(): boolean {
    return this.#isManaged
  }
}

/** What all our resource classes have in common: what the engine is told of the place where the program makes one. */
import type * as pulumi from "@pulumi/pulumi"
import { CustomResource } from "@pulumi/pulumi/resource.js"
import { fileURLToPath } from "node:url"

/** What lies below is ours, and no place in a program. */
const OURS = fileURLToPath(new URL("..", import.meta.url))
/** Frames between the program and us: a component of ours, and what the program itself makes resources with. */
const FRAMES = 10
/** Frames that the SDK takes for its own before it looks for the program's. */
const SKIPPED = 5

/** `    at name (file:line:column)` as the SDK reads it, which knows neither URLs nor frames without a name. */
const asFrame = (line: string): string | undefined => {
  const bracket = line.lastIndexOf(" (")
  const place = bracket === -1 ? line.replace(/^ *at (?:async )?/, "") : line.slice(bracket + 2, -1)
  const [column = "", row = "", ...rest] = place.split(":").toReversed()
  const file = rest.toReversed().join(":")
  if (file === "" || file.startsWith("node:")) return undefined
  return `    at program (${file.startsWith("file:") ? fileURLToPath(file) : file}:${row}:${column})`
}

/** The line of the program that makes a resource of this class, in the SDK's words; undefined when none is found. */
const lineThatMakes = (resource: NewableFunction): string | undefined => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = FRAMES
  const trace = { stack: "" }
  Error.captureStackTrace(trace, resource)
  const [, ...lines] = trace.stack.split("\n")
  Error.stackTraceLimit = stackTraceLimit
  return lines.map(asFrame).find((frame) => frame !== undefined && !frame.includes(`(${OURS}`))
}

export abstract class VpsResource extends CustomResource {
  /**
   * The SDK sends the engine the whole stack of every resource, with a file of ours as the place where it was made. The
   * engine stores that, and writes the whole state after each step: of an `up` of hundreds of instances it is a tenth.
   * So the SDK is shown the line of the program alone. And it keeps a stack trace for each of the four promises behind
   * each output, to name the ones that leak: a third of the time that such a program takes. None of them can leak
   * unless the engine is gone.
   */
  constructor(type: string, name: string, properties: pulumi.Inputs, opts?: pulumi.CustomResourceOptions) {
    const line = lineThatMakes(new.target)
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
  }
}

/** The base class of our resources: it reports the line of the program that created a resource. */
import type * as pulumi from "@pulumi/pulumi"
import { CustomResource, Resource } from "@pulumi/pulumi/resource.js"
import { fileURLToPath, pathToFileURL } from "node:url"

/** A program that was bundled as CommonJS has no such address. */
const OWN_URL = import.meta.url as string | undefined
/** Files below are the package's own, not the program's. */
const PACKAGE_ROOT = OWN_URL === undefined ? undefined : new URL("..", OWN_URL).href
/** Frames between the program and us: our component, and the program's own helpers. */
const FRAMES = 10

/** A line of a program, in the SDK's form. */
interface Position {
  readonly uri: string
  readonly line: number
  readonly column: number
}

/** The SDK reads the program's stack with this method of its own; one without it records the whole stack. */
const sdk = Resource as unknown as { stackTrace?: (skip: number) => ReadonlyArray<Position> }

/** Reads `    at name (file:line:column)`, whose name may be absent, and whose file may be a URL with parentheses. */
export const positionIn = (frame: string): Position | undefined => {
  const bracket = frame.lastIndexOf(" (")
  const place = bracket === -1 ? frame.replace(/^ *at (?:async )?/, "") : frame.slice(bracket + 2, -1)
  const [column, line, ...rest] = place.split(":").toReversed()
  const file = rest.toReversed().join(":")
  if (file === "" || file.startsWith("node:")) return undefined
  // A program that is loaded again in the same process has a query, which does not belong to the file.
  const path = file.startsWith("file:") ? fileURLToPath(file) : file
  return { uri: pathToFileURL(path).href, line: Number(line), column: Number(column) }
}

/** The line of the program that creates a resource of this class; none if it is not among the nearest frames. */
const linesThatCreate = (resource: NewableFunction): ReadonlyArray<Position> => {
  if (PACKAGE_ROOT === undefined) return []
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = FRAMES
  const trace = { stack: "" }
  Error.captureStackTrace(trace, resource)
  Error.stackTraceLimit = stackTraceLimit
  const positions = trace.stack.split("\n").slice(1).map(positionIn)
  const line = positions.find((position) => position !== undefined && !position.uri.startsWith(PACKAGE_ROOT))
  return line === undefined ? [] : [line]
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
    const lines = linesThatCreate(new.target)
    const { stackTraceLimit } = Error
    const { stackTrace } = sdk
    Error.stackTraceLimit = 0
    if (stackTrace !== undefined) sdk.stackTrace = () => lines
    try {
      super(type, name, properties, opts)
    } finally {
      if (stackTrace !== undefined) sdk.stackTrace = stackTrace
      Error.stackTraceLimit = stackTraceLimit
    }
    this.#isManaged = opts?.id === undefined
  }

  get isManaged(): boolean {
    return this.#isManaged
  }
}

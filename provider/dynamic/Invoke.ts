/**
 * Calls of the functions in the program's own process: as a promise, or as an output that takes outputs. When an
 * argument is unknown in a preview, the result is unknown, too, and no request is sent.
 */
import type * as pulumi from "@pulumi/pulumi"
import { Config } from "@pulumi/pulumi/config.js"
import { RunError } from "@pulumi/pulumi/errors.js"
import { output } from "@pulumi/pulumi/output.js"
import type { Properties } from "../definition/Properties.ts"
import type { FunctionName, Results } from "../functions/Functions.ts"

export const invoke = async <Name extends FunctionName>(name: Name, args: object): Promise<Results[Name]> => {
  const config = new Config("vps")
  // Loaded by the first call: a program that only creates resources does without the SDK.
  const { functions } = await import("../runtime.ts")
  try {
    return await functions.call(name, args as Properties, (key) => config.get(key)) as Results[Name]
  } catch (error) {
    // Printed without a stack: the cause is the account, not the program.
    throw new RunError((error as Error).message)
  }
}

export const invokeOutput = <Name extends FunctionName>(name: Name, args: object): pulumi.Output<Results[Name]> =>
  output(args).apply((known) => invoke(name, known)) as unknown as pulumi.Output<Results[Name]>

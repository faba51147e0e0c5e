/**
 * Calls of the plugin's functions: as a promise, or as an output that takes outputs. When an argument is unknown in a
 * preview, the result is unknown, too, and no request is sent.
 */
import type * as pulumi from "@pulumi/pulumi"
import * as runtime from "@pulumi/pulumi/runtime/invoke.js"
import { type FunctionName, listField, type Results } from "../functions/Functions.ts"
import { PACKAGE } from "./Register.ts"

type Fields = Readonly<Record<string, unknown>>

const unwrap = <Name extends FunctionName>(name: Name, result: Fields): Results[Name] => {
  const list = listField(name)
  // The plugin returns what a call in the dynamic host does: a test compares the two.
  return (list === undefined ? result : result[list]) as Results[Name]
}

export const invoke = async <Name extends FunctionName>(
  name: Name,
  args: object,
  opts?: pulumi.InvokeOptions
): Promise<Results[Name]> =>
  unwrap(name, await runtime.invoke(`vps:index:${name}`, { ...args }, { ...PACKAGE, ...opts }) as Fields)

export const invokeOutput = <Name extends FunctionName>(
  name: Name,
  args: object,
  opts?: pulumi.InvokeOutputOptions
): pulumi.Output<Results[Name]> =>
  runtime.invokeOutput<Fields>(`vps:index:${name}`, { ...args }, { ...PACKAGE, ...opts })
    .apply((result) => unwrap(name, result)) as unknown as pulumi.Output<Results[Name]>

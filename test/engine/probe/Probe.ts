/** The resource of the probes' programs. */
import * as pulumi from "@pulumi/pulumi"

const TEXT = "exports.handler=()=>{const c=n=>async(...a)=>(await import("
  + `${JSON.stringify(import.meta.resolve("./provider.ts"))})).provider[n](...a);return Object.fromEntries(`
  + "[\"configure\",\"check\",\"diff\",\"create\",\"read\",\"update\",\"delete\"].map(n=>[n,c(n)]))};"

export interface ProbeArgs {
  readonly value: pulumi.Input<unknown>
  /** Names of inputs whose change replaces, separated by commas. */
  readonly replaceOn?: string
}

export class Probe extends pulumi.CustomResource {
  declare readonly value: pulumi.Output<unknown>

  constructor(name: string, args: ProbeArgs, options?: pulumi.CustomResourceOptions) {
    super("pulumi-nodejs:dynamic/vps:Probe", name, { name, ...args, __provider: TEXT }, options)
  }
}

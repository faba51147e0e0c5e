/** A server with what belongs to it, as one component. */
import type * as pulumi from "@pulumi/pulumi"
import { type VpsServerArgs, VpsServerComponent } from "../classes/VpsServer.ts"
import { Instance } from "./Instance.ts"
import { ReverseDns } from "./ReverseDns.ts"
import { Snapshot } from "./Snapshot.ts"

/**
 * A server, the PTR record of its address, and a first snapshot: the convenient way. Its parts are ordinary resources
 * with its name: `instance`, `reverseDns`, `snapshot`.
 *
 * @example
 * const web = new VpsServer("web", { serviceId: 1, hostname: "web.example.com", firstSnapshot: "as-installed" })
 * export const address = web.ipv4
 */
export class VpsServer extends VpsServerComponent {
  constructor(name: string, args: VpsServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super({ Instance, ReverseDns, Snapshot }, name, args, opts)
  }
}

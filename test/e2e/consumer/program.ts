/** A user's Pulumi program. It is compiled, not run. */
import { Instance, Snapshot } from "pulumi-vps/provider"
import { Provider } from "pulumi-vps/pulumi"

const web = new Instance("web", { serviceId: 1, hostname: "web.example.com" })
const snapshot = new Snapshot("installed", { instanceId: web.id, name: "installed" })
export const provider = new Provider("other", { apiKey: "key" })
export const address = web.ipv4
export const name = snapshot.name
// @ts-expect-error it has types
export const wrong: number = web.ipv6

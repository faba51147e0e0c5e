/** A user's program that sends a request to a port where nothing listens. */
import { ConnectionError, Vps } from "@pulumi-vps/sdk"

const vps = new Vps({ apiKey: "key", baseUrl: "http://127.0.0.1:9/api/v1", maxRetries: 0 })
await vps.account.root().catch((error) => console.log(error instanceof ConnectionError ? "refused" : error))

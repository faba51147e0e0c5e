/**
 * `node test/anyHost/main.ts --style a [--port 8787]`: a host that follows the specification's text alone. Prints its
 * base URL and its key as a line of JSON, as the service does.
 */
import { parseArgs } from "node:util"
import { AnyHost } from "./AnyHost.ts"
import { type StyleName, STYLES } from "./Styles.ts"

const { values } = parseArgs({
  options: { style: { type: "string", default: "a" }, port: { type: "string", default: "0" } }
})
if (!Object.hasOwn(STYLES, values.style)) {
  throw new Error(`--style is one of ${Object.keys(STYLES).join(", ")}, not ${values.style}`)
}
const host = await AnyHost.start(values.style as StyleName, Date.now, Number(values.port))
process.stdout.write(`${JSON.stringify({ url: host.url, api_key: host.apiKey })}\n`)
process.once("SIGTERM", () => void host.close())
process.once("SIGINT", () => void host.close())

/** A host as a process of its own, as its command starts it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { ServiceProcess } from "../support/serviceProcess.ts"
import type { StyleName } from "./Styles.ts"

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url))

export const startAnyHost = async (style: StyleName): Promise<ServiceProcess> => {
  const child = spawn(process.execPath, [MAIN, "--style", style], { stdio: ["ignore", "pipe", "inherit"] })
  const exited = once(child, "exit")
  const lines = createInterface({ input: child.stdout })
  const [line] = await once(lines, "line") as [string]
  const { api_key: apiKey, url } = JSON.parse(line) as { readonly api_key: string; readonly url: string }
  return {
    url,
    origin: new URL(url).origin,
    apiKey,
    pid: child.pid!,
    style,
    log: () => "",
    printed: () => `${line}\n`,
    end: async (signal = "SIGTERM") => {
      child.kill(signal)
      const [code] = await exited
      return code as number | null
    }
  }
}

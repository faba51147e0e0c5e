/**
 * `npm run language [-- FOLDER ...]`: the findings of the language rules in these folders or files. Without an
 * argument, the number of findings in each folder.
 */
import { dirname } from "node:path"
import { findings, isWithin } from "./findings.ts"

const folders = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ""))
const all = findings()
const chosen = folders.length === 0 ? all : all.filter(isWithin(folders))

if (folders.length === 0) {
  for (const [folder, found] of Object.entries(Object.groupBy(chosen, ({ path }) => dirname(path))).toSorted()) {
    console.log(`${String(found?.length).padStart(5)} ${folder}`)
  }
} else for (const { line, message, path } of chosen) console.log(`${path}:${line} ${message}`)
console.log(`${chosen.length} findings`)
process.exitCode = chosen.length === 0 ? 0 : 1

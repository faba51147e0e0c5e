/**
 * Generates docs/quickstart.svg: runs the quickstart in a terminal and draws its steps 2 to 5. Needs `pulumi`, and
 * `script` of util-linux.
 *
 *   node .config/quickstartPicture.ts
 */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const COLUMNS = 104
const FONT_SIZE = 13
const CHAR_WIDTH = 7.83
const LINE_HEIGHT = 18
const MARGIN = 16
const BACKGROUND = "#161b22"
const FOREGROUND = "#d0d7de"
const COLORS: Readonly<Record<number, string>> = {
  1: "#ff7b72",
  2: "#7ee787",
  5: "#d2a8ff",
  12: "#79c0ff",
  13: "#d2a8ff"
}

interface Style {
  readonly color: string | undefined
  readonly bold: boolean
}
const PLAIN: Style = { color: undefined, bold: false }

const ESCAPE = String.fromCodePoint(27)
const SGR = new RegExp(`${ESCAPE}\\[([0-9;]*)m`)

/** The style after a sequence such as `38;5;2` or `1`. */
const applied = (style: Style, sequence: string): Style => {
  if (sequence === "" || sequence === "0") return PLAIN
  if (sequence === "1") return { ...style, bold: true }
  return { ...style, color: COLORS[Number(/^38;5;(\d+)$/.exec(sequence)?.[1])] }
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const plain = (line: string): string => line.split(SGR).filter((_, index) => index % 2 === 0).join("")

/** One line as `tspan` elements, truncated at the width of the picture. */
const drawn = (line: string): string => {
  let style = PLAIN
  let left = COLUMNS
  return line.split(SGR).map((part, index) => {
    if (index % 2 === 1) {
      style = applied(style, part)
      return ""
    }
    const text = part.slice(0, left)
    left -= text.length
    const weight = style.bold ? " font-weight=\"bold\"" : ""
    return text === "" ? "" : `<tspan fill="${style.color ?? FOREGROUND}"${weight}>${escaped(text)}</tspan>`
  }).join("")
}

/** Lines that repeat others: blank ones, intermediate progress, and durations, which differ in each run. */
const REPEATS = /^\s*│?\s*$|creating \(|Duration:|^\s*\([\d.]+ s\)$|Diagnostics:|pulumi:pulumi:Stack|buying/

const run = (): ReadonlyArray<string> => {
  const command = `stty cols 400; ${process.execPath} examples/quickstart/run.ts`
  const { status, stdout } = spawnSync("script", ["-qefc", command, "/dev/null"], { cwd: ROOT, encoding: "utf8" })
  if (status !== 0) throw new Error(`The quickstart failed:\n${stdout}`)
  return stdout.replaceAll("\r", "").split("\n")
}

/** The lines of steps 2 to 5; of repeated lines, the charge is retained where it appears first. */
const excerpt = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [from, to] = ["2/", "6/"].map((step) => lines.findIndex((line) => line.startsWith(step)))
  const steps = lines.slice(from, to)
  const charge = steps.findIndex((line) => plain(line).startsWith("   │     vps: web: buying"))
  return steps.filter((line, index) => index === charge || !REPEATS.test(plain(line)))
    .flatMap((line) => /^\d\//.test(line) ? ["", `${ESCAPE}[1m${line}${ESCAPE}[0m`] : [line])
}

const picture = (lines: ReadonlyArray<string>): string => {
  const width = Math.round(COLUMNS * CHAR_WIDTH + 2 * MARGIN)
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN
  const texts = lines.map((line, index) =>
    `<text x="${MARGIN}" y="${MARGIN + (index + 1) * LINE_HEIGHT - 5}" xml:space="preserve">${drawn(line)}</text>`
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
    + ` font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"`
    + ` font-size="${FONT_SIZE}">`,
    "<title>npm run quickstart: preview with the charge, up, and up again without a charge</title>",
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    ...texts,
    "</svg>",
    ""
  ].join("\n")
}

writeFileSync(`${ROOT}docs/quickstart.svg`, picture(["$ npm run quickstart", ...excerpt(run())]))

/**
 * The panel has one scale of texts and one of distances, a page that shows each component, words for each task, and red
 * buttons only for what destroys.
 */
import { assert, describe, it } from "vitest"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { INSTANCE_OPERATIONS } from "#service/domain/InstanceMachine"

const WEB = fileURLToPath(new URL("../../service/panel/web/", import.meta.url))

const read = (path: string): string => readFileSync(WEB + path, "utf8")

const DISTANCE = /(?:^|[\s{;])((?:padding|margin)(?:-[a-z]+)*|gap|column-gap|row-gap):\s*([^;}]+)/g
const SIZE = /(?:^|[\s{;])(font-size):\s*([^;}]+)/g

/** Besides the scale: none, the rest, the height of the screen, and the line that covers another one. */
const DISTANCES = /^(?:0|auto|-1px|\d+vh|!important|var\(--space-\d+\)|calc\(-1 \* var\(--space-\d+\)\))$/
const SIZES = /^(?:inherit|100%|var\(--text-[0-9a-z]+\))$/

/** The parts of a value: a calculation is one. */
const partsOf = (value: string): ReadonlyArray<string> => value.trim().match(/calc\([^)]*\)\)|var\([^)]*\)|\S+/g) ?? []

const offScale = (name: string, css: string): ReadonlyArray<string> => {
  const wrong = (form: RegExp, allowed: RegExp) =>
    [...css.matchAll(form)].filter(([, , value = ""]) => !partsOf(value).every((part) => allowed.test(part)))
      .map(([, property, value]) => `${name}: ${property}: ${value}`)
  return [...wrong(DISTANCE, DISTANCES), ...wrong(SIZE, SIZES)]
}

describe("the styles of the panel", () => {
  it("have distances and sizes of texts from the scale only", () => {
    const files = readdirSync(`${WEB}styles`).filter((name) => name !== "main.css")
    assert.isAbove(files.length, 3)
    assert.deepStrictEqual(files.flatMap((name) => offScale(name, read(`styles/${name}`))), [])
  })

  it("are found when they are off the scale", () => {
    const css = ".a { padding: 0.7rem 0; font-size: 13px; margin: calc(-1 * var(--space-8)) auto; gap: var(--space-4) }"
    assert.deepStrictEqual(offScale("a", css), ["a: padding: 0.7rem 0", "a: font-size: 13px"])
  })
})

describe("the outcomes of tasks", () => {
  it("have words for each operation that customers request", () => {
    const texts = read("api/outcomes.ts")
    const named = new Set([...texts.matchAll(/^ {2}([a-z_]+): \{/gm)].map(([, type]) => type))
    assert.deepStrictEqual(["provision", ...INSTANCE_OPERATIONS].filter((type) => !named.has(type)), [])
  })
})

/** The names of the red buttons in a file: those that are red themselves, and those that a red one confirms. */
const redIn = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  const red = lines.flatMap((line, index) => /kind="danger"|\sdestroys(?:$|\s+\w+=)/.test(line) ? [index] : [])
  return red.map((index) => {
    const near = lines.slice(Math.max(0, index - 3), index + 2).join("\n")
    const names = [...near.matchAll(/action="([^"]+)"/g)].map(([, name]) => name!)
    return names.at(-1) ?? "?"
  })
}

describe("the red buttons", () => {
  it("are those that destroy something: data, a key, or the way back", () => {
    const files = readdirSync(`${WEB}screens`, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".tsx") && !path.startsWith("emulator"))
    const red = files.flatMap((path) => redIn(read(`screens/${path}`)).map((name) => `${path}: ${name}`))
    assert.sameMembers(red, [
      "account/Keys.tsx: Revoke",
      "account/Profile.tsx: Remove",
      "customer/instance/Images.tsx: Restore",
      "customer/instance/Images.tsx: Delete",
      "customer/instance/Settings.tsx: Reinstall…",
      "operator/Account.tsx: Revoke",
      "operator/Evacuation.tsx: Fence",
      "operator/InstanceActions.tsx: Terminate",
      "operator/Notes.tsx: Delete"
    ])
    const sections = files.filter((path) => /<Section\s+danger/.test(read(`screens/${path}`)))
    assert.deepStrictEqual(sections, ["customer/instance/Settings.tsx"])
  })

  it("are found by their names", () => {
    assert.deepStrictEqual(redIn("<Confirm\n  action=\"Erase\"\n  kind=\"danger\"\n/>"), ["Erase"])
    assert.deepStrictEqual(redIn("<Confirm action=\"Erase\" kind=\"quiet\" destroys run={a} />"), ["Erase"])
    assert.deepStrictEqual(redIn("<FormDialog action=\"Close\" heading=\"x\" />"), [])
  })
})

describe("the buttons that are off", () => {
  it("say why: none is disabled without a reason", () => {
    const files = readdirSync(WEB, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".tsx"))
    const disabled = files.filter((path) =>
      /<(?:Button|IconButton|ActionButton|Confirm|FormDialog)\b[^>]*\sdisabled/
        .test(read(path))
    )
    assert.deepStrictEqual(disabled, [])
  })
})

describe("the page of components", () => {
  /** Parts of the frame, and of other components. */
  const ELSEWHERE = new Set([
    "AskHost",
    "Brand",
    "HostLinks",
    "OwnPart",
    "Pending",
    "ReadOnlyAccount",
    "RecordPage",
    "Rows",
    "SideBrand",
    "Skeleton",
    "Toasts",
    "TopBrand"
  ])

  it("shows each component", () => {
    const shown = read("screens/emulator/Components.tsx")
    const exported = readdirSync(`${WEB}components`).flatMap((name) =>
      [...read(`components/${name}`).matchAll(/^export (?:const|function) ([A-Z]\w+)\b/gm)].map(([, one]) => one!)
    )
    const missing = exported.filter((name) => !ELSEWHERE.has(name) && !new RegExp(`<${name}\\b`).test(shown))
    assert.isAbove(exported.length, 30)
    assert.deepStrictEqual(missing, [])
  })
})

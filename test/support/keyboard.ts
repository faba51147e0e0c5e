/** People who use the panel by keyboard alone: Tab, Enter, and letters. */
import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"

/** The accessible name of the element with the focus, and whether a person sees that it has it. */
const FOCUSED = `(() => {
  const one = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const name = one.labels?.[0]?.textContent ?? one.getAttribute("aria-label") ?? one.textContent ?? ""
  return { name: name.trim(), visible: outlineStyle !== "none" && parseFloat(outlineWidth) > 0 }
})()`

interface Focused {
  readonly name: string
  readonly visible: boolean
}

const focused = (page: Page): Promise<Focused> => page.evaluate<Focused>(FOCUSED)

/** More than any screen has. */
const TABS_MAX = 120

/** Presses Tab until an element with this name has the focus, which must be visible. */
export const tabTo = async (page: Page, name: string | RegExp): Promise<void> => {
  const passed: Array<string> = []
  for (let count = 0; count < TABS_MAX; count++) {
    await page.keyboard.press("Tab")
    const { name: found, visible } = await focused(page)
    if (typeof name === "string" ? found === name : name.test(found)) {
      return assert.isTrue(visible, `the focus on ${found} is visible`)
    }
    passed.push(found.slice(0, 20))
  }
  assert.fail(`Tab never reached ${String(name)}: ${passed.join(", ")}`)
}

/** Presses Enter on a button or a link, which Tab skips as long as it is disabled. */
export const press = async (page: Page, name: string | RegExp): Promise<void> => {
  const button = page.getByRole("button", { name, exact: true, disabled: false })
  await button.or(page.getByRole("link", { name, exact: true })).first().waitFor()
  await tabTo(page, name)
  await page.keyboard.press("Enter")
}

/** Opens a dialog by a button, and waits until it has the focus. */
export const open = async (page: Page, button: string | RegExp): Promise<void> => {
  await press(page, button)
  await page.locator("dialog[open] :focus").waitFor()
}

export const type = async (page: Page, field: string | RegExp, text: string): Promise<void> => {
  await tabTo(page, field)
  await page.keyboard.type(text)
}

/** Where the page itself has the focus, the browser's own controls would have it. */
const INSIDE = "document.activeElement === document.body || document.activeElement.closest('dialog') !== null"

/** More than any dialog has. */
const DIALOG_TABS = 12

/** Opens a dialog by a button: it keeps the focus, and gives it back to the button when Escape closes it. */
export const assertTrap = async (page: Page, button: string): Promise<void> => {
  await open(page, button)
  for (let count = 0; count < DIALOG_TABS; count++) {
    await page.keyboard.press("Tab")
    assert.isTrue(await page.evaluate<boolean>(INSIDE), "the focus stays in the dialog")
  }
  await page.keyboard.press("Escape")
  await page.getByRole("dialog").waitFor({ state: "detached" })
  await page.waitForFunction(`(${FOCUSED}).name === ${JSON.stringify(button)}`)
}

/** The element that has the focus, with all of it that a person needs to see; `hidden` says why it is not visible. */
interface Focus {
  readonly html: string
  readonly hidden: string | undefined
  /** True when the page has been gone through. */
  readonly isEnd: boolean
}

/** A control whose label is what people see, and press, is visible if its label is. */
const FOCUS = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body || element.dataset.visited === "true") return { isEnd: true }
  element.dataset.visited = "true"
  const shown = element.labels?.[0] ?? element
  const { bottom, height, left, right, top, width } = shown.getBoundingClientRect()
  const middle = (from, to, size) => (Math.max(0, from) + Math.min(size, to)) / 2
  const at = document.elementFromPoint(middle(left, right, innerWidth), middle(top, bottom, innerHeight))
  const hidden = !shown.checkVisibility({ opacityProperty: true, visibilityProperty: true }) ? "not visible"
    : width === 0 || height === 0 ? "without a size"
    : right <= 0 || left >= innerWidth || bottom <= 0 || top >= innerHeight ? "outside of the screen"
    : at === null || !shown.contains(at) && !at.contains(shown) ? "covered by " + at?.outerHTML.slice(0, 80)
    : undefined
  return { html: element.outerHTML.slice(0, 120), hidden, isEnd: false }
})()`

/** Presses that no page needs. */
const PRESSES_MAX = 400

/** Goes through the page with the Tab key; each element that takes the focus and is hidden, and why. */
export const focusProblems = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (let presses = 0; presses < PRESSES_MAX; presses++) {
    await page.keyboard.press("Tab")
    const { hidden, html, isEnd } = await page.evaluate<Focus>(FOCUS)
    if (isEnd) return found
    if (hidden !== undefined) found.push(`${html} is ${hidden}`)
  }
  return [...found, `The page has more than ${PRESSES_MAX} elements with a focus.`]
}

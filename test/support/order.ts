/** The order page of the panel, as a person fills it in. */
import type { Page } from "playwright-core"

/** Chooses a name, and a root password as the way to log in. */
export const fillOrder = async (page: Page, name: string): Promise<void> => {
  await page.getByLabel("Name", { exact: true }).fill(name)
  await page.getByLabel("Root password").check()
}

/** Closes the dialog that shows the password once, and waits for the page of the instance. */
export const notePassword = async (page: Page, name: string): Promise<string> => {
  const dialog = page.getByRole("dialog", { name: `The root password of ${name}` })
  const password = await dialog.locator("code").innerText()
  await dialog.getByRole("button", { name: "Done" }).click()
  await page.getByRole("heading", { level: 1, name }).waitFor()
  return password
}

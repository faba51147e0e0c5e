/** Light, dark, or as the system says. The choice stays in this browser. */
const KEY = "theme"

export const THEMES = ["system", "light", "dark"] as const
export type Theme = typeof THEMES[number]

export const chosenTheme = (): Theme => THEMES.find((one) => one === localStorage.getItem(KEY)) ?? "system"

export const applyTheme = (theme = chosenTheme()): void => {
  document.documentElement.dataset["theme"] = theme
}

export const chooseTheme = (theme: Theme): void => {
  localStorage.setItem(KEY, theme)
  applyTheme(theme)
}

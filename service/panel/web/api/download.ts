/** Gives a text to the person as a file. */
export const download = (name: string, lines: ReadonlyArray<string>): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([...lines], { type: "application/octet-stream" }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

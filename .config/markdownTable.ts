type Row = ReadonlyArray<string>

/** A Markdown table as the formatter writes it: columns padded to their widest cell. */
export const table = (head: Row, rows: ReadonlyArray<Row>): string => {
  const lines = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")))
  const widths = head.map((_, column) => Math.max(3, ...lines.map((row) => row[column]?.length ?? 0)))
  const line = (row: Row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  const [title = [], ...body] = lines
  return [line(title), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n")
}

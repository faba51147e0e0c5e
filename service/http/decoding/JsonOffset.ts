/** Finds the offset of a JSON syntax error. V8 includes it in only some of its messages. */

const SPACE = /[ \t\r\n]*/y
// JSON strings cannot contain control characters.
const STRING = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`
const SCALAR = new RegExp(`${STRING}|${NUMBER}|true|false|null`, "y")
const KEY = new RegExp(`${STRING}(?=[ \\t\\r\\n]*:)`, "y")

/** The token that may come next. `first` is directly after an opening bracket, where a closing one may follow. */
type Expected = "value" | "first item" | "first key" | "key" | "separator"

class Scanner {
  at = 0
  readonly #text: string
  /** The closing brackets of all open ones. */
  readonly #open: Array<"}" | "]"> = []

  constructor(text: string) {
    this.#text = text
  }

  #take(form: RegExp): boolean {
    form.lastIndex = this.at
    const found = form.test(this.#text)
    if (found) this.at = form.lastIndex
    return found
  }

  #takeText(text: string): boolean {
    const found = this.#text.startsWith(text, this.at)
    if (found) this.at += text.length
    return found
  }

  #close(): Expected | undefined {
    const closing = this.#open.at(-1)
    if (closing === undefined || !this.#takeText(closing)) return undefined
    this.#open.pop()
    return "separator"
  }

  #value(): Expected | undefined {
    if (this.#takeText("{")) return this.#enter("}", "first key")
    if (this.#takeText("[")) return this.#enter("]", "first item")
    return this.#take(SCALAR) ? "separator" : undefined
  }

  #enter(closing: "}" | "]", next: Expected): Expected {
    this.#open.push(closing)
    return next
  }

  #key(): Expected | undefined {
    if (!this.#take(KEY)) return undefined
    this.#take(SPACE)
    this.#takeText(":")
    return "value"
  }

  /** Consumes one token; undefined if no token matches. */
  step(expected: Expected): Expected | undefined {
    this.#take(SPACE)
    switch (expected) {
      case "value":
        return this.#value()
      case "first item":
        return this.#close() ?? this.#value()
      case "first key":
        return this.#close() ?? this.#key()
      case "key":
        return this.#key()
      case "separator":
        if (this.#open.at(-1) !== undefined && this.#takeText(",")) return this.#open.at(-1) === "}" ? "key" : "value"
        return this.#close()
    }
  }
}

/** The offset, in UTF-16 units, of the first invalid character; the length if the text ends too early. */
export const errorOffset = (text: string): number => {
  const scanner = new Scanner(text)
  let expected: Expected | undefined = "value"
  while (expected !== undefined) expected = scanner.step(expected)
  return scanner.at
}

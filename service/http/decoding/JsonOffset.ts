/** Finds the offset of a JSON syntax error. V8 includes it in only some of its messages. */

const SPACE = /[ \t\r\n]*/y

// JSON strings cannot contain control characters.
const OPEN_STRING = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*`
/** The longest text that a string can begin with. */
const STRING_PREFIX = String.raw`${OPEN_STRING}(?:"|\\(?:u[0-9a-fA-F]{0,3})?)?`
const NUMBER_PREFIX = String.raw`-?(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?|-`
const WORD_PREFIX = "t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?"

/** Expressions for the longest beginning of a token, and for a complete one. */
interface Token {
  readonly prefix: RegExp
  readonly complete: RegExp
}

const STRING: Token = { prefix: new RegExp(STRING_PREFIX, "y"), complete: new RegExp(`^${OPEN_STRING}"$`) }
const SCALAR: Token = {
  prefix: new RegExp(`${STRING_PREFIX}|${NUMBER_PREFIX}|${WORD_PREFIX}`, "y"),
  complete: new RegExp(`^(?:${OPEN_STRING}"|[^"]*\\d|true|false|null)$`)
}

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

  /** Consumes an incomplete token up to the first character that cannot belong to it. */
  #takeToken({ complete, prefix }: Token): boolean {
    const start = this.at
    return this.#take(prefix) && complete.test(this.#text.slice(start, this.at))
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
    return this.#takeToken(SCALAR) ? "separator" : undefined
  }

  #enter(closing: "}" | "]", next: Expected): Expected {
    this.#open.push(closing)
    return next
  }

  #key(): Expected | undefined {
    if (!this.#takeToken(STRING)) return undefined
    this.#take(SPACE)
    return this.#takeText(":") ? "value" : undefined
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

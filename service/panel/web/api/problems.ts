/** The problems of fields in one sentence each, for people: the service words them for programs. */

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const sentence = (text: string): string => /[.!?]$/.test(text) ? text : `${text}.`

type Rule = readonly [form: RegExp, text: (...found: ReadonlyArray<string>) => string]

/** In the order in which they are tried. */
const RULES: ReadonlyArray<Rule> = [
  [/^(?:field required|string should have at least 1 character)$/i, () => "Fill in this field."],
  [/^string should have at least (\d+) characters?$/i, (_, count) => `Enter at least ${count} characters.`],
  [/^string should have at most (\d+) characters?$/i, (_, count) => `Enter at most ${count} characters.`],
  [/^input should be greater than or equal to (\S+)$/i, (_, bound) => `Enter ${bound} or more.`],
  [/^input should be less than or equal to (\S+)$/i, (_, bound) => `Enter ${bound} or less.`],
  [/^input should be greater than (\S+)$/i, (_, bound) => `Enter more than ${bound}.`],
  [/^decimal input should have no more than (\d+) decimal places$/i, (_, count) => `Enter at most ${count} decimals.`],
  [/^input should be a valid integer/i, () => "Enter a whole number."],
  [/^input should be a valid string/i, () => "Enter letters and digits only."],
  [/^should not contain control characters$/i, () => "Remove line breaks and invisible characters."],
  [/^extra inputs are not permitted$/i, () => "Leave this empty here."],
  [/^input should be one of: (.*)$/i, (_, words) => `Choose one of: ${words}.`],
  [/^input should be (.*)$/i, (_, form) => sentence(`Enter ${form}`)],
  [/^input should (.*)$/i, (_, form) => sentence(`It should ${form}`)],
  [/^(?:this )?value(?: error,)? this value is not allowed here$/i, () => "Choose another value."]
]

/** The service begins a problem with the name of its field, which is beside it on a page. */
const withoutField = (text: string): string => {
  const found = /^[a-z_]+ ((?:should|must|is|has|does|cannot)\b.*)$/s.exec(text)
  return found === null ? text : `It ${found[1]}`
}

export const problemText = (message: string): string => {
  const text = message.replace(/^Value error, /, "")
  for (const [form, words] of RULES) {
    const found = form.exec(text)
    if (found !== null) return words(...found)
  }
  return sentence(capital(withoutField(text)))
}

/** The problem that the browser finds in a control before anything is sent; undefined if it is valid. */
export const controlProblem = (control: HTMLInputElement): string | undefined => {
  const { max, maxLength, min, minLength, type, validity } = control
  if (validity.valid) return undefined
  if (validity.valueMissing) {
    return type === "radio" || type.startsWith("select")
      ? "Choose one."
      : "Fill in this field."
  }
  if (validity.typeMismatch) {
    return type === "email" ? "Enter an email address, like name@example.com." : "Enter a complete address."
  }
  if (validity.tooShort) return `Enter at least ${minLength} characters.`
  if (validity.tooLong) return `Enter at most ${maxLength} characters.`
  if (validity.rangeUnderflow) return `Enter ${min} or more.`
  if (validity.rangeOverflow) return `Enter ${max} or less.`
  if (validity.stepMismatch) return "Enter a number with fewer decimals."
  return validity.badInput ? "Enter a number." : "Use the format that is described below."
}

/** Plain language as rules: how a comment begins, which words it uses, and how files and exports are named. */
import ts from "typescript"
import { type Problem, problem, type Source } from "./Source.ts"
import { FOR_USERS, IN_PROVIDER, NAMES, type Term, TERMS } from "./terms.ts"
import { type Text, texts } from "./texts.ts"

const NOUN = /^(?:What|Who|Whoever|Whom|Whose|Whatever|Whichever|Wherever|Whether|How|Why|Which)\b/
/** "When it fails, it is retried." is a statement; "When it fails." is not. */
const CLAUSE = /^(?:When|Where)\b[^,:]*(?:[.;]|$)/

/** "2: wrong usage" and "tasks: those of a type" are entries of a list. */
const LABEL = /^(?:[1-9]\d*|[a-z_]+): /

const LABELED = "begins with a label: a title is a sentence that says what holds"

const BEGINNING = "begins with a question word: a comment is a statement with a subject"

/** The start of a comment, and of what it says about a parameter or a result. */
const beginnings = (text: string): ReadonlyArray<string> =>
  text.split(/ (?=@(?:param|returns|throws|default)\b)/).map((part) =>
    part.replace(/^@(?:param \S+|returns|throws \S+|default)\s*(?:- )?/, "").replace(/^(?:ms|s|bytes|min); /, "")
  )

const excerpt = (text: string, at: number): string => `"...${text.slice(Math.max(0, at - 25), at + 45).trim()}..."`

const uses = (terms: ReadonlyArray<Term>, text: string): ReadonlyArray<string> =>
  terms.flatMap(({ instead, pattern }) => {
    const found = pattern.exec(text)
    return found === null ? [] : [`"${found[0].trim()}": use ${instead} in ${excerpt(text, found.index)}`]
  })

/** Quoted code is not prose. */
const prose = (text: string): string => text.replaceAll(/`[^`]*`|\{@link [^}]*\}/g, "`code`")

const forUsers = (path: string): ReadonlyArray<Term> => {
  if (path.startsWith("provider/")) return IN_PROVIDER
  return /^(?:sdk|examples|docs)\/|^(?:README|CHANGELOG|SECURITY)\.md$/.test(path) ? FOR_USERS : []
}

/** Other texts in tests follow what they assert. */
const isRead = (path: string, { kind }: Text): boolean => kind !== "string" || /^(?:sdk|service|provider)\//.test(path)

export const language = (source: Source): ReadonlyArray<Problem> => {
  const { path } = source
  const terms = [...TERMS, ...forUsers(path)]
  return texts(source).filter((text) => isRead(path, text)).flatMap(({ kind, line, text }) => [
    ...(kind === "comment" && beginnings(text).some((one) => NOUN.test(one) || CLAUSE.test(one))
      ? [{ path, line, message: `${BEGINNING}: ${excerpt(text, 0)}` }]
      : []),
    ...(kind === "title" && LABEL.test(text) ? [{ path, line, message: `${LABELED}: ${excerpt(text, 0)}` }] : []),
    ...uses(terms, prose(text)).map((message) => ({ path, line, message }))
  ])
}

const FENCE = /^\s*(?:```|~~~)/

/** The same of a page of Markdown, but its code. */
export const pageLanguage = (path: string, page: string): ReadonlyArray<Problem> => {
  let isCode = false
  return page.split("\n").flatMap((text, index) => {
    if (FENCE.test(text)) isCode = !isCode
    return isCode ? [] : uses([...TERMS, ...forUsers(path)], prose(text)).map((message) => ({
      path,
      line: index + 1,
      message
    }))
  })
}

/** "Last known" is a term of state reconciliation. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  name.replace(/[Ll]astKnown/, "").split(/(?=[A-Z][a-z])|[^A-Za-z]+/).map((word) => word.toLowerCase())

const judgeName = (name: string): ReadonlyArray<string> =>
  wordsOf(name).flatMap((word) => NAMES.has(word) ? [`${name}: "${word}" as a name: use ${NAMES.get(word)}`] : [])

const declared = (statement: ts.Statement): ReadonlyArray<ts.Identifier> => {
  if (!ts.canHaveModifiers(statement)) return []
  if (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) return []
  const names = ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.map(({ name }) => name)
    : "name" in statement
    ? [statement.name as ts.Node | undefined]
    : []
  return names.filter((name) => name !== undefined).filter(ts.isIdentifier)
}

/** The names of a file and of its exports. */
export const names = (source: Source): ReadonlyArray<Problem> => {
  const file = source.path.split("/").at(-1)!.replace(/\..*$/, "")
  return [
    ...judgeName(file).map((message) => ({ path: source.path, line: 1, message })),
    ...source.ast.statements.flatMap(declared).flatMap((name) =>
      judgeName(name.text).map((message) => problem(source, name, message))
    )
  ]
}

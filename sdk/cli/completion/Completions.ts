/** Completions for shells: the scripts, and the words that they ask for. */
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import { sanitize } from "@pulumi-vps/contract/CommandLine"
import { printRaw } from "../output/Output.ts"
import { type Candidate, type Next, parseLine, type Source } from "../line/CommandLine.ts"
import { wordsOf } from "@pulumi-vps/contract/PlanSpecs"
import type { OsOptions, PublicPlan } from "@pulumi-vps/contract/Services"
import type { Instance } from "@pulumi-vps/contract/Instance"
import { type HostClient, makeHostClient } from "../HostClient.ts"
import { readContexts, resolveConnection } from "../connection/Connection.ts"
import { readEnvironment } from "../Environment.ts"
import { CATALOGUE_CONCURRENCY, COMPLETION_MILLIS } from "../Limits.ts"
import { matchPlan } from "../shared/Selection.ts"
import { parseProviderData } from "../shared/Views.ts"
import * as Argument from "effect/cli/Argument"

// The candidates that the service or the context file knows. A failure offers none, because a prompt has no errors.

const contexts = Effect.map(
  Effect.suspend(() => readContexts(readEnvironment().contextFile)),
  (all) => Object.entries(all.contexts).map(([value, { base_url }]): Candidate => ({ value, description: base_url }))
)

/** Slow services and retries would block the prompt. */
const clientOf = (context: string | undefined) =>
  Effect.map(
    resolveConnection(readEnvironment(), context),
    ({ apiKey, baseUrl }) => makeHostClient({ apiKey, baseUrl, timeout: COMPLETION_MILLIS, maxRetries: 0 })
  )

const planCandidate = ({ name, slug, specs }: PublicPlan): Candidate => ({
  value: slug,
  description: [name, ...wordsOf(specs).map((words) => words.join(" "))].join(", ")
})

const imageCandidates = ({ os_options = [] }: OsOptions): ReadonlyArray<Candidate> =>
  os_options.map(({ label, slug, version }) => ({ value: slug, description: `${label} ${version}` }))

const images = Effect.fnUntraced(function*(client: HostClient, planName: string | undefined) {
  const { data: plans } = yield* client.services.list()
  const plan = planName === undefined ? undefined : matchPlan(planName, plans)
  const options = yield* Effect.forEach(
    plan === undefined ? plans : [plan],
    ({ id }) => client.services.osOptions(id),
    { concurrency: CATALOGUE_CONCURRENCY }
  )
  const all = options.flatMap(({ data }) => imageCandidates(data))
  return [...new Map(all.map((each) => [each.value, each])).values()]
})

/** Hostnames, and IDs once a digit is typed or if another instance has the same hostname. */
const instanceCandidates = (all: ReadonlyArray<Instance>, typed: string): ReadonlyArray<Candidate> => {
  const names = all.map((each) => parseProviderData(each).hostname)
  return all.map((each, at) => {
    const name = names[at]
    const isUnique = name !== undefined && names.indexOf(name) === names.lastIndexOf(name)
    const facts = [each.status, each.order.service.slug, each.ipv4 ?? ""].filter((fact) => fact !== "").join(", ")
    return isUnique && !/^\d/.test(typed)
      ? { value: name, description: facts }
      : { value: String(each.id), description: `${name ?? ""} ${facts}`.trim() }
  })
}

const dynamic = Effect.fnUntraced(function*(source: Exclude<Source, "contexts" | "files">, { flags, typed }: Next) {
  const client = yield* clientOf(flags.get("context"))
  switch (source) {
    case "plans":
      return (yield* client.services.list()).data.map(planCandidate)
    case "images":
      return yield* images(client, flags.get("plan"))
    case "instances":
      return instanceCandidates((yield* client.instances.list()).data, typed)
  }
})

const candidatesOf = (source: Exclude<Source, "files">, next: Next): Effect.Effect<ReadonlyArray<Candidate>> =>
  Effect.orElseSucceed(source === "contexts" ? contexts : dynamic(source, next), () => [])

// `vps __complete SHELL WORDS...`: the scripts of `vps completions` run it at each Tab. It prints a candidate per line,
// with a tab and a description, or `:files` if the shell should complete a file name.

export const COMPLETE = "__complete"

/** Nothing else is offered: the shell would execute a part of a hostname like `$(...)` once the line is entered. */
const HARMLESS = /^[\w.:@+=-]+$/

/** Bash divides words at `=`: this joins them again. */
const joinWords = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.reduce<ReadonlyArray<string>>((joined, word, index) => {
    const last = joined.at(-1) ?? ""
    const continues = word === "=" ? last.startsWith("--") : words[index - 1] === "=" && last.endsWith("=")
    return continues ? [...joined.slice(0, -1), last + word] : [...joined, word]
  }, [])

/** Prints the words that can follow. */
export const complete = Effect.fnUntraced(
  function*(root: Command.Command.Any, [shell, ...words]: ReadonlyArray<string>) {
    const next = parseLine(Completions.fromCommand(root), shell === "bash" ? joinWords(words) : words)
    const { candidates, prefix, source, typed } = next
    if (source === "files") return yield* printRaw(":files\n")
    const all = [...candidates, ...(source === undefined ? [] : yield* candidatesOf(source, next))]
    const lines = all.filter(({ value }) => value.startsWith(typed) && HARMLESS.test(value))
      // For bash, the flag is a word of its own.
      .map(({ description, value }) => `${shell === "bash" ? "" : prefix}${value}\t${sanitize(description)}\n`)
    yield* printRaw(lines.join(""))
  }
)

// The scripts of the shells. They only ask `vps __complete`, so they do not change with the commands.

const bash = `# vps: completion for bash
_vps() {
  local line IFS=$'\\n' current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while read -r line; do
    if [ "$line" = ":files" ]; then
      [ "$current" = "=" ] && current=""
      compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$current"))
      return
    fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(vps __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _vps vps
`

const zsh = `#compdef vps
_vps() {
  local line
  local -a lines candidates
  lines=("\${(@f)$(vps __complete zsh "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == ":files" ]]; then
    compset -P '--*='
    _files
    return
  fi
  for line in $lines; do
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -t vps vps candidates
}
if [[ $funcstack[1] == _vps ]]; then _vps "$@"; else compdef _vps vps; fi
`

const fish = `# vps: completion for fish
function __vps_complete
  set -l current (commandline -ct)
  set -l words (commandline -opc) "$current"
  set -l lines (vps __complete fish $words[2..-1] 2>/dev/null)
  if test "$lines[1]" = ":files"
    __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current")
  else if test (count $lines) -gt 0
    printf '%s\\n' $lines
  end
end
complete -c vps -e
complete -c vps -f -a '(__vps_complete)'
`

const SCRIPTS = { bash, fish, zsh } as const

// `vps completions`: scripts for completion in a shell.

const SHELLS = ["bash", "zsh", "fish"] as const

export const completions = Command.make("completions", {
  shell: Argument.Literals("shell", SHELLS).pipe(Argument.withDescription("bash, zsh or fish"))
}, ({ shell }) => printRaw(SCRIPTS[shell])).pipe(
  Command.withShortDescription("Print a completion script for a shell"),
  Command.withDescription(
    "Print a completion script for a shell: for commands, flags, plans, images, hostnames, contexts, and files."
  ),
  Command.withExamples([
    { command: "source <(vps completions bash)", description: "In ~/.bashrc" },
    { command: "vps completions zsh > ~/.zfunc/_vps", description: "In a folder of zsh's $fpath" },
    { command: "vps completions fish > ~/.config/fish/completions/vps.fish" }
  ])
)

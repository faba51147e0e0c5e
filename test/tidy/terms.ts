/** Words of a private dialect, with the field's terms to use instead. */

export interface Term {
  readonly pattern: RegExp
  readonly instead: string
}

const term = (words: string, instead: string): Term => ({ pattern: new RegExp(`\\b(?:${words})\\b`, "i"), instead })

/** In comments and in texts that people read. */
export const TERMS: ReadonlyArray<Term> = [
  term("told|tells?|telling", "notify, publish, report, say (tell apart: distinguish)"),
  term("asked|asks", "request, call, prompt"),
  term("kept(?![- ]alive)", "cached, persisted, retained, saved"),
  term("(?:is|are|was|were|be|been|being) given", "receives, is passed"),
  term("seen", "observed"),
  term("hears?|heard|hearing", "receive, subscribe, be notified"),
  term("wish|wishes|wished", "request, option"),
  term("patience|patient|patiently", "retry budget, retry"),
  term("sow|sows|sown|sowed|sowing", "seed"),
  term("chance", "randomness, random source"),
  term("duty|duties|chores?|agenda", "scheduled job, background job, scheduler"),
  term("woken|wakes?|woke", "notify, resume"),
  term("(?:a|one|two|each|every|first|last|next|their|shared|between|of|more) looks?", "poll, read"),
  term("stands?(?! for\\b)|stood", "is, is stored, exists"),
  term("go on|goes on|went on|gone on|going on", "continue"),
  term("(?:is|are|was|were) there(?! (?:a|an|any|no|one|more|is)\\b)", "exists"),
  term("whoever|whomever|whosever|whatever|whichever|wherever", "name it: any client, anything"),
  term("(?:nobody|none|nothing|nowhere) but|no \\w+ but", "only"),
  term("nobody|somebody|anybody|everybody", "name who: no client, another process, an operator"),
  term("rooms?(?! (?:for|to|is left)\\b)|house rules?|house style", "folder; project"),
  term("borders?", "port, boundary"),
  term(
    "(?<!there )(?:is|are|was|were) no(?! (?:longer|more|less|fewer|different|matter|reason|such|need|way|one)\\b)",
    "is not a"
  ),
  term("else than|otherwise than|another than", "other than"),
  term("divided by", "separated by"),
  term("anew", "again"),
  term("for good", "permanently"),
  term("in the same breath", "at the same time"),
  term("carry out|carries out|carried out|carrying out", "execute"),
  term("makes? up (?:its|their) mind|in the way of|what is more", "say it plainly"),
  term("the machine that this runs on", "this computer"),
  term("a defect of", "a bug in"),
  { pattern: /(?:^|; | and )[Aa]nswers (?!to\b)/, instead: "return" },
  { pattern: /^Ends (?:when|with|once|after|as)\b/, instead: "Resolves, Returns, Completes" }
]

/** As words in the names of files and of what they export. */
export const NAMES: ReadonlyMap<string, string> = new Map(Object.entries({
  asked: "Request...",
  told: "Notified, Reported",
  kept: "Cache, Retained",
  shown: "Redacted, Rendered",
  seen: "Observed",
  known: "Cached, LastKnown...",
  hear: "subscribe",
  tell: "publish, report",
  wish: "Option",
  wishes: "Options",
  patience: "RetryBudget",
  patiently: "retry...",
  sow: "seed",
  sowing: "Seed",
  chance: "RandomSource",
  duty: "ScheduledJob",
  duties: "ScheduledJobs",
  agenda: "Scheduler",
  chores: "BackgroundJobs",
  theatre: "ScenarioRunner",
  stage: "Environment",
  wake: "Notifier",
  turns: "...Scheduler, ...Guard",
  looks: "polls",
  leftovers: "Unreconciled...",
  soundness: "Integrity...",
  borders: "ports",
  trouble: "Faults",
  weather: "FaultSchedule",
  dice: "SeededRandom",
  oracle: "ReferenceModel",
  somebody: "name who",
  nobody: "name who",
  whoever: "name who",
  whatever: "name what",
  rooms: "Folders"
}))

/** An instance is never called a server or a machine where users look. */
const QUALIFIED = "(?:API|gRPC|HTTP|HTTPS|SMTP|TLS|DNS|name|mail|database|PostgreSQL|proxy|language|web|private|"
  + "test|fake|old|new|newer|build|CI|Vps)"
const OTHER_MACHINE = "this|state|your|own|other|virtual|build|same|local|each|another"
const MACHINE = new RegExp(`(?<!\\b(?:${OTHER_MACHINE}) )(?<![-@])\\bmachines?\\b(?!-| readable)`, "i")

/** The provider knows one server only, the engine's: everything else is the service, or an instance. */
export const IN_PROVIDER: ReadonlyArray<Term> = [
  { pattern: new RegExp(`(?<!\\b${QUALIFIED} )(?<![-/\\w])servers?\\b(?![-/.])`, "i"), instead: "instance" },
  { pattern: MACHINE, instead: "instance" }
]

/** Elsewhere a server is an API server; these are phrases in which it is an instance. */
export const FOR_USERS: ReadonlyArray<Term> = [
  term("(?:buys?|bought|buying|orders?|delet(?:e|es|ed|ing)) (?:(?:an?|the|this|new) )*servers?", "instance"),
  term("(?:your|existing|deployed|simulated|real|dedicated) servers?", "instance"),
  term("server (?:\\d+|is (?:running|stopped|off|on|deployed|paid|gone|ready))", "instance"),
  term("server with (?:its|a) (?:PTR|name|record)|server's (?:plan|name|address|password|disk|machine)", "instance"),
  term(`(?<!${QUALIFIED} )servers (?:are|with|that|by program|of|have|which)`, "instances"),
  { pattern: MACHINE, instead: "instance (this computer: computer)" }
]

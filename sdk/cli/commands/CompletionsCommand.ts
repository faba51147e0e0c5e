/** `vps completions`: scripts for completion in a shell. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { SCRIPTS } from "../completion/Scripts.ts"
import { printRaw } from "../output/Output.ts"

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

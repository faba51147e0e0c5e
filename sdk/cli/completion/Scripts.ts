/** The scripts of the shells. They only ask `vps __complete`, so they do not change with the commands. */

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

export const SCRIPTS = { bash, fish, zsh } as const

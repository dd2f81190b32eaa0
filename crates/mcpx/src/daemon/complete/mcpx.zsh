#compdef mcpx
# Completion of mcpx for zsh. Install it with
#     mcpx completion zsh > "${fpath[1]}/_mcpx"
# or put this into ~/.zshrc, after compinit:
#     source <(mcpx completion zsh)

_mcpx() {
    local line word description
    local -a before open opened closed shown
    before=("${(@Q)words[2,CURRENT-1]}")
    local current=${(Q)PREFIX}
    # An alias is no program, and ~ would not be expanded here.
    local program=${${(Q)words[1]}/#\~\//$HOME/}
    whence -p -- "$program" >/dev/null || program=mcpx

    # Words that end in = are gone on with, without a space.
    while IFS= read -r line; do
        word=${line%%$'\t'*}
        [[ $word == "$current"* ]] || continue
        description=
        [[ $line == *$'\t'* ]] && description=" -- ${line#*$'\t'}"
        if [[ $word == *= ]]; then
            open+=("$word") opened+=("$word$description")
        else
            closed+=("$word") shown+=("$word$description")
        fi
    done < <("$program" __complete -- "${before[@]}" "$current" 2>/dev/null)

    local found=1
    (( $#open )) && compadd -l -S '' -d opened -a open && found=0
    (( $#closed )) && compadd -l -d shown -a closed && found=0
    (( found == 0 )) && return 0

    # A file may be meant: as a flag's value, or as a server that is a command.
    if [[ $current == -*=* ]]; then
        compset -P '*=' && _files
    elif [[ $current == */* ]]; then
        _files
    elif [[ $current != -* && ${before[-1]} == --?* && ${before[-1]} != *=* ]]; then
        _files
    else
        return 1
    fi
}

if [[ ${funcstack[1]} == _mcpx ]]; then
    _mcpx "$@"
else
    compdef _mcpx mcpx
fi

# Completion of mcpx for bash. Install it with
#     mcpx completion bash > /etc/bash_completion.d/mcpx
# or put this into ~/.bashrc:
#     source <(mcpx completion bash)

# __mcpx_plain WORD: sets REPLY to WORD as the shell would read it, QUOTE to the quote
# that is still open at its end, and OPENED to how much came before that. Nothing in
# WORD is run.
__mcpx_plain() {
    local word=$1 char i
    REPLY= QUOTE=
    for ((i = 0; i < ${#word}; i++)); do
        char=${word:i:1}
        case $QUOTE$char in
            "''" | '""') QUOTE= ;;
            "'" | '"') QUOTE=$char OPENED=${#REPLY} ;;
            '\') ((++i)); REPLY+=${word:i:1} ;;
            '"\')
                case ${word:i+1:1} in
                    ['$`"\']) ((++i)); REPLY+=${word:i:1} ;;
                    *) REPLY+=$char ;;
                esac ;;
            *) REPLY+=$char ;;
        esac
    done
}

_mcpx() {
    local REPLY QUOTE OPENED line=${COMP_LINE:0:COMP_POINT} piece i
    # bash cuts words at = and :, among others. Pieces with nothing between them in the
    # line are one word; bash will only replace the last of them.
    local -a words=()
    local head=
    for ((i = 0; i <= COMP_CWORD; i++)); do
        piece=${COMP_WORDS[i]}
        if [[ $i -gt 0 && $line != [[:blank:]]* && ( -n $line || -n $piece ) ]]; then
            head+=$last
        else
            [[ $i -gt 0 ]] && words+=("$head$last")
            head=
        fi
        line=${line#"${line%%[![:blank:]]*}"}
        # The cursor may stand within the last piece.
        [[ $i -eq $COMP_CWORD ]] && piece=$line
        line=${line#"$piece"}
        local last=$piece
    done
    # A separator alone stays where it is.
    if [[ $last && -n $head && -z ${last//[=:]/} ]]; then
        head+=$last last=
    fi

    local -a plain=()
    local previous=
    for piece in "${words[@]:1}"; do
        __mcpx_plain "$piece"
        plain+=("$REPLY")
        previous=$REPLY
    done
    __mcpx_plain "$head"
    local kept=${#REPLY}
    __mcpx_plain "$head$last"
    local current=$REPLY quote=$QUOTE
    # Within quotes, bash only replaces what they hold.
    [[ $quote ]] && kept=$OPENED

    # An alias is no program, and ~ would not be expanded here.
    __mcpx_plain "${COMP_WORDS[0]}"
    local program=${REPLY/#\~\//$HOME/}
    type -P -- "$program" >/dev/null || program=mcpx

    COMPREPLY=()
    local word
    while IFS=$'\t' read -r word _; do
        [[ $word == "$current"* ]] || continue
        [[ $word == *= ]] && compopt -o nospace 2>/dev/null
        word=${word:kept}
        case $quote in
            '') [[ $word ]] && printf -v word %q "$word" ;;
            "'") word=${word//\'/"'\\''"} ;;
            *)
                word=${word//\\/\\\\} word=${word//\"/\\\"}
                word=${word//\$/\\\$} word=${word//\`/\\\`} ;;
        esac
        COMPREPLY+=("$word")
    done < <("$program" __complete -- "${plain[@]}" "$current" 2>/dev/null)

    # A file may be meant: as a flag's value, or as a server that is a command.
    if [[ ${#COMPREPLY[@]} -eq 0 ]]; then
        local flag=${current%%=*}=
        case $current in
            -*=*)
                if [[ $kept -ge ${#flag} ]]; then
                    compopt -o default 2>/dev/null
                else
                    compopt -o nospace 2>/dev/null
                    while IFS= read -r word; do
                        [[ -d $word ]] && word+=/
                        printf -v word %q "$flag$word"
                        COMPREPLY+=("${word:kept}")
                    done < <(compgen -f -- "${current#*=}")
                fi ;;
            */*) compopt -o default 2>/dev/null ;;
            -*) ;;
            *)
                case $previous in
                    -*=*) ;;
                    --?*) compopt -o default 2>/dev/null ;;
                esac ;;
        esac
    fi
}

complete -F _mcpx mcpx

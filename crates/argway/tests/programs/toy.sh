#!/bin/sh
# A small program that answers as Cobra programs do, for tests that need no Go.
# The word that readers know Cobra by: __completeNoDesc


# help PATH: the page, as Cobra's default template prints it.
help() {
    case "$1" in
    "") cat <<'PAGE'
A toy with a few items in it.

Usage:
  toy [command]

Available Commands:
  completion  Generate the autocompletion script for the specified shell
  fail        Fail on purpose
  greet       Print a greeting
  help        Help about any command
  item        Manage items
  nap         Wait for a minute
  version     Show the version

Flags:
  -h, --help      help for toy
  -v, --verbose   say more
      --version   version for toy

Use "toy [command] --help" for more information about a command.
PAGE
        ;;
    fail) cat <<'PAGE'
Fail on purpose

Usage:
  toy fail [flags]

Flags:
  -h, --help   help for fail

Global Flags:
  -v, --verbose   say more
PAGE
        ;;
    greet) cat <<'PAGE'
Print a greeting for everybody named.

Usage:
  toy greet [name...] [flags]

Examples:
  toy greet Ada --times 2

Flags:
  -h, --help        help for greet
      --times int   how often (default 1)

Global Flags:
  -v, --verbose   say more
PAGE
        ;;
    item) cat <<'PAGE'
Manage items

Usage:
  toy item [command]

Available Commands:
  delete      Delete an item
  list        List items

Flags:
  -h, --help   help for item

Global Flags:
  -v, --verbose   say more

Use "toy item [command] --help" for more information about a command.
PAGE
        ;;
    "item delete") cat <<'PAGE'
Delete an item

Usage:
  toy item delete <id> [flags]

Flags:
      --force   do not ask
  -h, --help    help for delete

Global Flags:
  -v, --verbose   say more
PAGE
        ;;
    "item list") cat <<'PAGE'
List items

Usage:
  toy item list [flags]

Aliases:
  list, ls

Flags:
  -h, --help            help for list
  -o, --output string   how items are shown (default "table")

Global Flags:
  -v, --verbose   say more
PAGE
        ;;
    nap) cat <<'PAGE'
Wait for a minute

Usage:
  toy nap [flags]

Flags:
  -h, --help   help for nap

Global Flags:
  -v, --verbose   say more
PAGE
        ;;
    version) cat <<'PAGE'
Show the version

Usage:
  toy version [flags]

Flags:
  -h, --help   help for version

Global Flags:
  -v, --verbose   say more
PAGE
        ;;
    *) return 1 ;;
    esac
}

# children PATH: what `__complete help PATH ""` lists.
children() {
    case "$1" in
    "") printf '%s\t%s\n' \
        completion 'Generate the autocompletion script for the specified shell' \
        fail 'Fail on purpose' greet 'Print a greeting' help 'Help about any command' \
        item 'Manage items' nap 'Wait for a minute' version 'Show the version' ;;
    item) printf '%s\t%s\n' delete 'Delete an item' list 'List items' ;;
    esac
    echo ':4'
}

# flags PATH: what `__complete PATH -` lists.
flags() {
    printf '%s\t%s\n' --verbose 'say more' -v 'say more' --help "help for ${1:-toy}" -h "help for ${1:-toy}"
    case "$1" in
    "") printf '%s\t%s\n' --version 'version for toy' ;;
    greet) printf '%s\t%s\n' --times 'how often' ;;
    "item delete") printf '%s\t%s\n' --force 'do not ask' ;;
    "item list") printf '%s\t%s\n' --output 'how items are shown' -o 'how items are shown' ;;
    esac
    echo ':4'
}

# quoted TEXT: as Go prints a string.
quoted() { printf '"%s"' "$(printf %s "$1" | sed 's/["\\]/\\&/g')"; }

# refuse FLAG REASON: how Cobra's completion tells of a value that the parser does not like.
refuse() {
    echo "Error while parsing flags from args [$1]: $2" >&2
    exit 0
}

# complete WORD…: answers Cobra's hidden command.
complete() {
    path='' last=''
    while [ $# -gt 1 ]; do
        case "$1" in
        --times) refuse "$1" 'flag needs an argument: --times' ;;
        --output) refuse "$1" 'flag needs an argument: --output' ;;
        --times=*[!0-9]*) refuse "$1" "invalid argument $(quoted "${1#*=}") for \"--times\" flag: strconv.ParseInt: parsing $(quoted "${1#*=}"): invalid syntax" ;;
        --force=*[!01]* | --verbose=*[!01]* | --help=*[!01]* | --version=*[!01]*)
            refuse "$1" "invalid argument $(quoted "${1#*=}") for \"${1%%=*}\" flag: strconv.ParseBool: parsing $(quoted "${1#*=}"): invalid syntax" ;;
        -*) ;;
        *) path="$path $1" ;;
        esac
        shift
    done
    path=${path# }
    case "$1" in
    -*) flags "$path" ;;
    *) case "$path" in help*) path=${path#help}; children "${path# }" ;; *) children "$path" ;; esac ;;
    esac
}

[ "$1" = __complete ] && { shift; complete "$@"; exit 0; }
[ "$1" = __completeNoDesc ] && { shift; complete "$@" | cut -f1; exit 0; }
[ "$1" = help ] && { shift; help "$*"; exit; }
for word in "$@"; do
    [ "$word" = -- ] && break
    if [ "$word" = --help ] || [ "$word" = -h ]; then
        path=
        for part in "$@"; do
            case "$part" in -*) ;; *) path="$path $part" ;; esac
        done
        help "${path# }"
        exit
    fi
done

# Everything that really runs leaves a trace where a test asks for one.
[ -n "$TOY_TRACE" ] && echo "$*" >>"$TOY_TRACE"

case "$1" in
"") help "" ;;
--version) echo "toy version 1.0.0" ;;
version) echo "toy 1.0.0" ;;
fail)
    echo "half a result"
    echo "Error: failed on purpose" >&2
    exit 7
    ;;
greet)
    shift
    times=1 names=
    while [ $# -gt 0 ]; do
        case "$1" in
        --times=*) times=${1#*=} ;;
        --) ;;
        *) names="$names $1" ;;
        esac
        shift
    done
    while [ "$times" -gt 0 ]; do
        echo "Hello${names:- world}"
        times=$((times - 1))
    done
    ;;
item)
    case "$2 $3" in
    "list --output=json") echo '[{"id": 1, "name": "ball"}, {"id": 2, "name": "kite"}]' ;;
    "list "* | "ls "*) printf 'ID  NAME\n1   ball\n2   kite\n' ;;
    "delete "*) echo "deleted $3" ;;
    *) help item ;;
    esac
    ;;
nap)
    sleep 60 &
    [ -n "$TOY_TRACE" ] && echo "$$ $!" >"$TOY_TRACE.nap.new" && mv "$TOY_TRACE.nap.new" "$TOY_TRACE.nap"
    wait
    ;;
*)
    echo "Error: unknown command \"$1\" for \"toy\"" >&2
    exit 1
    ;;
esac

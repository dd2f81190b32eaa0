# Completion of mcpx for fish. Install it with
#     mcpx completion fish > ~/.config/fish/completions/mcpx.fish
# or put this into ~/.config/fish/config.fish:
#     mcpx completion fish | source

function __mcpx_complete
    set -l before (commandline -opc)
    # An alias is no program, and ~ would not be expanded here.
    set -l program (string replace -r -- '^~/' "$HOME/" $before[1])
    type -q -f -- $program
    or set program mcpx
    set -e before[1]
    set -l typed (commandline -ct)
    # What is typed may still lack its closing quote.
    set -l current (string unescape -- $typed 2>/dev/null
        or string unescape -- $typed\' 2>/dev/null
        or string unescape -- $typed\" 2>/dev/null
        or printf '%s\n' $typed)

    set -l found ($program __complete -- $before "$current" 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
        return
    end

    # A file may be meant: as a flag's value, or as a server that is a command.
    if string match -qr -- '^-[^=]*=' "$current"
        set -l flag (string replace -r -- '=.*' '=' "$current")
        set -l value (string replace -r -- '^[^=]*=' '' "$current")
        for path in (__fish_complete_path "$value")
            printf '%s\n' "$flag$path"
        end
    else if string match -q -- '*/*' "$current"
        __fish_complete_path "$current"
    else if string match -qr -- '^--[^=]+$' "$before[-1]"
        and not string match -q -- '-*' "$current"
        __fish_complete_path "$current"
    end
end

complete -c mcpx -e
complete -c mcpx -k -f -a '(__mcpx_complete)'

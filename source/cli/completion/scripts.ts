import {fileMark} from './names.ts';

/** A dollar sign for the shell, where a template literal would interpolate. */
const dollar = '$';

// Each script passes the words to the program as written, including the one being completed. Names come from files and strangers: no script lets the shell evaluate
// one.

const bash = String.raw`# svc completion for bash: source <(svc completion bash)
_svc() {
	local word line value
	local -a words=()
	# "--option=value" comes as three words.
	for word in "${dollar}{COMP_WORDS[@]:1:COMP_CWORD}"; do
		[[ $word == '=' ]] || words+=("$word")
	done
	[[ ${dollar}{COMP_WORDS[COMP_CWORD]} != '=' ]] || words+=('')
	COMPREPLY=()
	while IFS= read -r line; do
		if [[ $line == '${fileMark}' ]]; then
			compopt -o filenames 2>/dev/null
			while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${dollar}{words[-1]}")
			return
		fi
		printf -v value '%q' "${dollar}{line%%$'\t'*}"
		COMPREPLY+=("$value")
	done < <("${dollar}{COMP_WORDS[0]}" __complete -- "${dollar}{words[@]}" 2>/dev/null)
}
complete -F _svc svc
`;

const zsh = String.raw`#compdef svc
# svc completion for zsh: source <(svc completion zsh), after compinit
_svc() {
	local line
	local -a lines values shown
	lines=("${dollar}{(@f)$("${dollar}{words[1]}" __complete -- "${dollar}{(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ ${dollar}{lines[1]} == '${fileMark}' ]]; then
		_files
		return
	fi
	for line in "${dollar}{lines[@]}"; do
		[[ -n $line ]] || continue
		values+=("${dollar}{line%%$'\t'*}")
		shown+=("${dollar}{line//$'\t'/  -- }")
	done
	(( ${dollar}{#values} )) && compadd -l -d shown -a values
}
compdef _svc svc
`;

const fish = String.raw`# svc completion for fish: svc completion fish | source
function __svc_complete
	set -l words (commandline -opc) (commandline -ct)
	set -l lines (command $words[1] __complete -- $words[2..-1] 2>/dev/null)
	if test "$lines[1]" = '${fileMark}'
		__fish_complete_path (commandline -ct)
		return
	end
	printf '%s\n' $lines
end
complete -c svc -f -a '(__svc_complete)'
`;

/** The completion script of each shell. */
export const scripts = {bash, zsh, fish} as const;

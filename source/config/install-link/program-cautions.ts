import type {InstallReview} from '../../core/install.ts';
import {quotedName} from '../../core/names.ts';

type Kind = {
	readonly programs: RegExp;
	readonly weight: InstallReview['cautions'][number]['weight'];
	readonly says: (program: string) => string;
};

/** What is known of programs by their names alone. */
const kinds: readonly Kind[] = [
	{
		programs: /^(?:sudo|doas|pkexec|su|run0|runas)$/,
		weight: 'danger',
		says: program => `${program} runs what follows as somebody else, who may do everything here`,
	},
	{
		programs:
			/^(?:(?:ba|z|da|k|c|tc|fi|a)?sh|cmd|powershell|pwsh|busybox|osascript|wscript|cscript|mshta)$/,
		weight: 'danger',
		says: program => `${program} is a shell: what it does stands in its arguments, read them all`,
	},
	{
		programs: /^(?:node|deno|bun|python[\d.]*|perl|ruby|php|env|xargs|nohup|ssh|curl|wget)$/,
		weight: 'danger',
		says: program => `${program} runs whatever its arguments say: read them all`,
	},
	{
		programs: /^(?:npx|npm|pnpm|pnpx|yarn|bunx|uvx|uv|pipx|docker|podman|nerdctl|go|cargo)$/,
		weight: 'danger',
		says: program =>
			`${program} may fetch code from the Internet and run it; other code tomorrow, where no version is named`,
	},
];

/** What a person should know of a program and its arguments. */
export function programCautions(argv: readonly string[]): InstallReview['cautions'] {
	const [command = ''] = argv;
	const program = (/[^/\\]*$/.exec(command)?.[0] ?? '')
		.toLowerCase()
		.replace(/\.(?:exe|cmd|bat|com)$/, '');
	return kinds
		.filter(({programs}) => programs.test(program))
		.map(({weight, says}) => ({weight, text: says(quotedName(program))}));
}

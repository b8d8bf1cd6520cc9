import {Argument, type Command} from 'commander';
import type {Context} from '../console/context.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** `svc completion`, and what its scripts ask. @see manual/commands.md */
export function addCompletionCommands(program: Command, context: Context): void {
	program
		.command('completion')
		.description(
			'print what makes a shell complete commands, options and names: source <(svc completion bash)',
		)
		.addArgument(new Argument('<shell>', 'which one').choices(shells))
		.action(async (shell: (typeof shells)[number]) => {
			const {scripts} = await import('../completion/scripts.ts');
			context.stdout.write(scripts[shell]);
		});

	program
		.command('__complete', {hidden: true})
		.argument(
			'[words...]',
			'behind "--": the words of the command line, the last one being completed',
		)
		.action(async (words: readonly string[]) => {
			const {printCandidates} = await import('../completion/names.ts');
			await printCandidates(context, program, words);
		});
}

import {Argument, type Command} from 'commander';
import {SvcError} from '../../core/errors.ts';
import {didYouMean, nearestName} from '../../core/names.ts';
import type {Context} from '../console/context.ts';
import {jsonOption, type Json} from '../console/options.ts';
import {printJson, printLines} from '../console/print.ts';

/** `svc help [TOPIC]` and `svc explain [CODE]`. */
export function addManualCommands(program: Command, context: Context): void {
	program
		.command('help')
		.description('open a page of the manual, or the help of a command')
		.argument('[topic...]', 'a page, or a command')
		.action(async (words: readonly string[]) => {
			const {manualTopics, readManualPage} = await import('../manual/read-page.ts');
			const [topic] = words;
			const page = words.length === 1 && topic !== undefined ? readManualPage(topic) : undefined;
			const command = page ? undefined : commandOf(program, words);
			if (page) {
				const {showPage} = await import('../manual/show-page.ts');
				await showPage(context, page);
			} else if (command && command !== program) {
				command.outputHelp();
			} else if (topic === undefined) {
				program.outputHelp();
				printLines(context, ['', 'Pages of the manual (svc help TOPIC):', ...overview()]);
			} else {
				const names = [...manualTopics(), ...program.commands.map(one => one.name())];
				const near = nearestName(topic, names) ?? names.find(name => name.includes(topic));
				throw new SvcError(
					'topic_not_found',
					`Cannot find a page or a command "${words.join(' ')}"${near ? `, did you mean "${near}"` : ''}: see "svc help"`,
				);
			}

			function overview(): readonly string[] {
				const topics = manualTopics();
				const width = Math.max(...topics.map(name => name.length));
				return topics.map(name => `  ${name.padEnd(width)}  ${readManualPage(name)?.title ?? ''}`);
			}
		});

	program
		.command('explain')
		.description('explain the code of an error, and what to do')
		.argument('[code]', 'as it stands in brackets behind an error; without one, all of them')
		.option(...jsonOption)
		.action(async (code: string | undefined, {json}: Json) => {
			const {errorCodes} = await import('../../manual/error-codes.ts');
			const meanings: Readonly<Record<string, string>> = errorCodes;
			const asked = code?.replaceAll(/[()]/g, '').toLowerCase();
			if (asked !== undefined && !Object.hasOwn(meanings, asked)) {
				const {topicsAbout} = await import('../manual/read-page.ts');
				const topics = topicsAbout(asked);
				const pages =
					topics.length > 0
						? `, the manual tells of it: ${topics.map(topic => `"svc help ${topic}"`).join(', ')}`
						: '';
				throw new SvcError(
					'code_not_found',
					`Cannot find an error code "${asked}"${didYouMean(asked, Object.keys(meanings))}${pages}; "svc explain" lists them`,
				);
			}

			const shown = Object.entries(meanings).filter(
				([name]) => asked === undefined || name === asked,
			);
			if (asked === undefined && !json) {
				const {readManualPage} = await import('../manual/read-page.ts');
				const {showPage} = await import('../manual/show-page.ts');
				await showPage(
					context,
					readManualPage('errors') ?? {text: Object.keys(meanings).join('\n')},
				);
				return;
			}

			if (json) {
				printJson(
					context,
					shown.map(([name, meaning]) => ({code: name, meaning})),
				);
				return;
			}

			const {layOutMarkdown} = await import('../../terminal/text/markdown.ts');
			const width = Math.min(context.stdout.columns || 100, 100);
			printLines(
				context,
				shown.flatMap(([name, meaning]) => [
					name,
					...layOutMarkdown(meaning, width - 2).map(({text}) => `  ${text}`),
				]),
			);
		});
}

/** The command named by `words`, as far as they match. */
function commandOf(program: Command, words: readonly string[]): Command | undefined {
	let found: Command | undefined = program;
	for (const word of words) {
		found = found?.commands.find(one => one.name() === word);
	}

	return found;
}

const shells = ['bash', 'zsh', 'fish'] as const;

/** `svc completion`, and the command called by its scripts. @see manual/commands.md */
export function addCompletionCommands(program: Command, context: Context): void {
	program
		.command('completion')
		.description(
			'print the completion script of a shell for commands, options and names: source <(svc completion bash)',
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

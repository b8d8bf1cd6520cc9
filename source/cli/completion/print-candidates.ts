import type {Command} from 'commander';
import {homePaths} from '../../config/home-paths.ts';
import {cell} from '../../core/untrusted.ts';
import type {Context} from '../console/context.ts';
import {type Candidate, complete} from './complete.ts';
import {namesOf} from './names.ts';

/** What the scripts take as "a file is wanted here": no name of ours begins so. */
export const fileMark = ':file';

const maxSays = 60;

/**
 * Prints what may complete the last of `words`, a line each: the whole word, a tab, what it is. Says nothing else, whatever goes wrong, and writes nothing: it answers
 * a key press.
 */
export async function printCandidates(
	context: Context,
	program: Command,
	words: readonly string[],
): Promise<void> {
	try {
		const {begun, before, candidates, noun} = complete(program, words.map(unquoted));
		if (noun === 'file') {
			context.stdout.write(`${fileMark}\n`);
			return;
		}

		const names = noun
			? await namesOf(
					noun,
					homePaths({environment: context.environment, profile: profileIn(words)}),
				)
			: [];
		const found = new Map(
			[...candidates, ...names]
				.filter(({value}) => value.startsWith(begun) && isPrintable(value))
				.toReversed()
				.map(candidate => [candidate.value, candidate]),
		);
		context.stdout.write(
			[...found.values()]
				.toReversed()
				.map(candidate => lineOf(candidate, before))
				.join(''),
		);
	} catch {
		// Nothing to offer.
	}
}

/** The profile that the words name, which counts for what is read. */
function profileIn(words: readonly string[]): string | undefined {
	const at = words.findIndex(word => word === '-p' || word === '--profile');
	const inline = words.find(word => word.startsWith('--profile='));
	const named = inline?.slice('--profile='.length) ?? (at === -1 ? undefined : words[at + 1]);
	// What is being written is no name yet.
	return named === '' || named === words.at(-1) ? undefined : named;
}

/** A word as the program would get it, as far as a beginning can tell. */
const unquoted = (word: string): string =>
	/^['"]/.test(word) ? word.slice(1).replace(/['"]$/, '') : word.replaceAll(/\\(.)/gs, '$1');

/** A name that a terminal might obey, or that would be two lines, is not offered. */
const isPrintable = (value: string): boolean =>
	value !== '' && cell(value, Infinity).text === value;

const lineOf = ({value, says = ''}: Candidate, before: string): string =>
	`${before}${value}${says === '' ? '' : `\t${cell(says, maxSays).text}`}\n`;

import type {Safe} from '../../core/untrusted.ts';
import type {Command} from '../commands/command.ts';
import {scopesNow} from '../commands/scopes.ts';
import {commandOf, router} from '../commands/table.ts';
import {clean, type Line, type Span} from '../panes/line.ts';
import {widthOf} from '../text/fit.ts';
import type {Shell} from './shell.ts';

/** The keys that matter here, as many as have room; a command that cannot be used now is left out. */
export function hintsLine(shell: Shell, width: number): Line {
	const hints = router
		.available(scopesNow(shell))
		.filter(({id, quiet}) => !isQuiet(shell, quiet) && isUsable(shell, id))
		.map(({id, keys, label}) => ({id, key: clean(keys[0]), label}));
	const ways = hints.filter(({id}) => waysOut.has(id));
	let room = width - 1 - ways.reduce((cells, hint) => cells + sizeOf(hint), 0);
	const others = hints.filter(hint => {
		const fits = !waysOut.has(hint.id) && sizeOf(hint) <= room;
		room -= fits ? sizeOf(hint) : 0;
		return fits;
	});
	return [...others, ...ways].flatMap(({key, label}): Span[] => [
		{text: clean(` ${key} `), tone: 'accent'},
		{text: clean(`${label} `), tone: 'quiet'},
	]);
}

/** Who knows these finds everything else: they keep their place however narrow the screen is. */
const waysOut: ReadonlySet<string> = new Set([
	'detail.open',
	'detail.close',
	'help',
	'palette',
	'quit',
]);

const isQuiet = (shell: Shell, quiet: Command['quiet']): boolean =>
	typeof quiet === 'function' ? quiet(shell) : quiet === true;

const sizeOf = ({key, label}: {readonly key: Safe; readonly label: Safe}): number =>
	widthOf(key) + widthOf(label) + 3;

const isUsable = (shell: Shell, id: string): boolean => commandOf(id)?.why?.(shell) === undefined;

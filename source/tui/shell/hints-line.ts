import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {literal} from '../../terminal/text/safe.ts';
import {whyNot, type Command} from '../acts/command.ts';
import {scopesNow} from '../commands/scopes.ts';
import {type Line, type Span} from '../lines/line.ts';
import type {Shell} from './shell.ts';

/** The keys that matter here, as many as fit. Leaves out commands that are unavailable, or forbidden in this face: help and palette say why. */
export function hintsLine(shell: Shell, width: number): Line {
	const hints = shell.keys.router
		.available(scopesNow(shell))
		.filter(({id, quiet}) => !isQuiet(shell, quiet) && isShown(shell, id))
		.map(({id, scope, keys, label}) => ({
			key: escapeLine(keys[0]),
			label,
			isWay: ranks.has(id),
			rank: scope === 'banner' ? bannerRank : (ranks.get(id) ?? lastRank),
		}));
	let room = width - 1;
	const fitting = new Set(
		hints
			.toSorted((one, other) => one.rank - other.rank)
			.filter(hint => {
				const fits = hint.rank === 0 || sizeOf(hint) <= room;
				room -= fits ? sizeOf(hint) : 0;
				return fits;
			}),
	);
	const shown = hints.filter(hint => fitting.has(hint));
	const others = shown.filter(({isWay}) => !isWay);
	const ways = shown.filter(({isWay}) => isWay);
	return [...others, ...ways].flatMap(({key, label}): Span[] => [
		{text: literal(' ')},
		{text: key, tone: 'accent'},
		{text: literal(' ')},
		{text: label},
		{text: literal(' ')},
	]);
}

/** Priorities of keys: lower ranks get room first, and are placed last. Help, palette and quit lead to everything else, so they are never dropped. */
const ranks: ReadonlyMap<string, number> = new Map([
	['help', 0],
	['palette', 0],
	['quit', 0],
	['detail.open', 2],
	['detail.close', 2],
	// Saving and leaving a form take precedence.
	['form.help', 4],
]);

const bannerRank = 1;
const lastRank = 3;

const isQuiet = (shell: Shell, quiet: Command['quiet']): boolean =>
	typeof quiet === 'function' ? quiet(shell) : quiet === true;

const sizeOf = ({key, label}: {readonly key: Safe; readonly label: Safe}): number =>
	widthOf(key) + widthOf(label) + 3;

const isShown = (shell: Shell, id: string): boolean => {
	const command = shell.keys.commandOf(id);
	return command === undefined || whyNot(command, shell) === undefined;
};

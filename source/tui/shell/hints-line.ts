import {scopesNow} from '../commands/scopes.ts';
import {commandOf, router} from '../commands/table.ts';
import {clean, type Line, type Span} from '../panes/line.ts';
import {widthOf} from '../text/fit.ts';
import type {Shell} from './shell.ts';

/** The keys that matter here, as many as have room; a command that cannot be used now is left out. */
export function hintsLine(shell: Shell, width: number): Line {
	const spans: Span[] = [];
	let used = 1;
	for (const {id, keys, label, quiet} of router.available(scopesNow(shell))) {
		const key = clean(keys[0]);
		const size = widthOf(key) + widthOf(label) + 3;
		if (quiet !== true && isUsable(shell, id) && used + size <= width) {
			spans.push(
				{text: clean(` ${key} `), tone: 'accent'},
				{text: clean(`${label} `), tone: 'quiet'},
			);
			used += size;
		}
	}

	return spans;
}

const isUsable = (shell: Shell, id: string): boolean => commandOf(id)?.why?.(shell) === undefined;

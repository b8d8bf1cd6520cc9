import type {Safe} from '../../core/untrusted.ts';
import {own} from '../../terminal/text/safe.ts';
import type {ListMove} from '../list/window.ts';
import type {Command} from './command.ts';
import {move} from './navigate.ts';

const moving = (
	name: Extract<ListMove, string>,
	keys: readonly [string, ...string[]],
	label: Safe,
): Command => ({
	id: `move.${name}`,
	scope: 'global',
	keys,
	label,
	quiet: true,
	run(shell) {
		move(shell, name);
	},
});

/** The keys that move in a list, or scroll a detail. */
export const movingCommands: readonly Command[] = [
	moving('down', ['j', 'down'], own('down')),
	moving('up', ['k', 'up'], own('up')),
	moving('first', ['g', 'home'], own('first')),
	moving('last', ['G', 'end'], own('last')),
	moving('page-down', ['pgdn'], own('page down')),
	moving('page-up', ['pgup'], own('page up')),
	moving('half-down', ['ctrl+d'], own('half a page down')),
	moving('half-up', ['ctrl+u'], own('half a page up')),
];

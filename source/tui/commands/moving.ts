import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {PaneCommand} from '../acts/command.ts';
import {move} from '../acts/navigate.ts';
import type {ListMove} from '../list/window.ts';

const moving = (
	name: Extract<ListMove, string>,
	keys: readonly [string, ...string[]],
	label: Safe,
): PaneCommand => ({
	id: `move.${name}`,
	keys,
	label,
	quiet: true,
	run(shell) {
		move(shell, name);
	},
});

/** The keys that move in a list, or scroll a detail. */
export const movingCommands: readonly PaneCommand[] = [
	moving('down', ['j', 'down'], literal('down')),
	moving('up', ['k', 'up'], literal('up')),
	moving('first', ['g', 'home'], literal('first')),
	moving('last', ['G', 'end'], literal('last')),
	moving('page-down', ['pgdn'], literal('page down')),
	moving('page-up', ['pgup'], literal('page up')),
	moving('half-down', ['ctrl+d'], literal('half a page down')),
	moving('half-up', ['ctrl+u'], literal('half a page up')),
];

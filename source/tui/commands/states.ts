import {literal} from '../../terminal/text/safe.ts';
import type {Command} from '../acts/command.ts';
import {change} from '../acts/navigate.ts';
import {changeOverlay, closing} from '../acts/overlay-state.ts';

/** Opens the states of everything that the gateway is made of. */
export const openStates: Command = {
	id: 'states',
	scope: 'global',
	keys: ['H'],
	label: literal('states of receiver, model, platforms, tools, jobs'),
	quiet: true,
	aliases: ['/status', '/states'],
	run(shell) {
		change(shell, {overlay: {kind: 'states', top: 0}});
	},
};

/** Its keys. */
export const statesCommands: readonly Command[] = [
	...(
		[
			['states.down', ['j', 'down'], literal('down'), 1],
			['states.up', ['k', 'up'], literal('up'), -1],
		] as const
	).map(([id, keys, label, rows]): Command => ({
		id,
		scope: 'states',
		keys,
		label,
		run(shell) {
			changeOverlay(shell, 'states', ({kind, top}) => ({
				kind,
				top: Math.max(0, top + rows),
			}));
		},
	})),
	closing('states', ['esc', 'H', 'q', 'ctrl+c', 'enter']),
];

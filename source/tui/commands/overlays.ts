import {literal} from '../../terminal/text/safe.ts';
import type {Command} from '../acts/command.ts';
import {copyText} from '../acts/copy.ts';
import {formCommands} from '../acts/form.ts';
import {keyCommands} from '../acts/key.ts';
import {openPane} from '../acts/navigate.ts';
import {changeOverlay, close, closing, cycle, isKind} from '../acts/overlay-state.ts';
import {trialCommands} from '../acts/trial.ts';
import {typeNameCommands} from '../acts/type-name.ts';
import {deliveryList} from '../entries/delivery-list.ts';
import {sendTest} from '../panes/traffic/traffic-commands.ts';
import type {Shell} from '../shell/shell.ts';
import {approvalSheetCommands} from './approval.ts';
import {fieldCommands} from './field.ts';
import {helpCommands} from './help.ts';
import {installCommands} from './install.ts';
import {quitCommands} from './leaving.ts';
import {loginPasteCommands} from './login-paste.ts';
import {menuCommands} from './menu.ts';
import {paletteEntries} from './palette-entries.ts';
import {openSetup, setupCommands} from './setup.ts';
import {statesCommands} from './states.ts';

const confirmCommands: readonly Command[] = [
	{
		id: 'confirm.yes',
		scope: 'confirm',
		keys: ['y'],
		label: literal('yes'),
		run(shell) {
			const {overlay} = shell.view.get();
			if (isKind(overlay, 'confirm')) {
				close(shell);
				overlay.run();
			}
		},
	},
	{
		id: 'confirm.other',
		scope: 'confirm',
		keys: ['t'],
		label: literal('to another route'),
		when(shell) {
			const {overlay} = shell.view.get();
			return isKind(overlay, 'confirm') && overlay.other !== undefined;
		},
		run(shell) {
			const {overlay} = shell.view.get();
			if (isKind(overlay, 'confirm')) {
				close(shell);
				overlay.other?.run();
			}
		},
	},
	closing('confirm', ['esc', 'n', 'q', 'ctrl+c'], literal('no')),
];

const firstRunCommands: readonly Command[] = [
	{
		id: 'first-run.test',
		changes: true,
		scope: 'first-run',
		keys: ['T'],
		label: literal('send a test event, and go to the traffic'),
		run(shell) {
			const {overlay} = shell.view.get();
			if (isKind(overlay, 'first-run')) {
				const {route} = overlay.card;
				close(shell);
				openPane(shell, deliveryList.id);
				sendTest(shell, route);
			}
		},
	},
	{
		id: 'first-run.copy',
		scope: 'first-run',
		keys: ['c'],
		label: literal('copy the curl line'),
		run(shell) {
			const {overlay} = shell.view.get();
			if (isKind(overlay, 'first-run')) {
				const {route} = overlay.card;
				shell.attempt(async () =>
					copyText(shell, await shell.port.curlLine(route), literal('signed curl line')),
				);
			}
		},
	},
	{
		id: 'first-run.setup',
		changes: true,
		scope: 'first-run',
		keys: ['s'],
		label: literal('set up the receiver'),
		when(shell) {
			const {overlay} = shell.view.get();
			return isKind(overlay, 'first-run') && overlay.card.keys === undefined;
		},
		run: openSetup,
	},
	closing('first-run', ['enter', 'esc', 'ctrl+c']),
];

const paletteCommands = (acts: ReadonlyArray<Command<string>>): readonly Command[] => {
	const step = (shell: Shell, rows: number) => {
		changeOverlay(shell, 'palette', overlay => ({
			...overlay,
			index: cycle(overlay.index + rows, paletteEntries(shell, acts, overlay.query).length),
		}));
	};

	return [
		{
			id: 'palette.run',
			scope: 'palette',
			keys: ['enter'],
			label: literal('run'),
			run(shell) {
				const {overlay} = shell.view.get();
				if (isKind(overlay, 'palette')) {
					close(shell);
					paletteEntries(shell, acts, overlay.query)[overlay.index]?.run();
				}
			},
		},
		{
			id: 'palette.down',
			scope: 'palette',
			keys: ['ctrl+n', 'down', 'tab'],
			label: literal('down'),
			run(shell) {
				step(shell, 1);
			},
		},
		{
			id: 'palette.up',
			scope: 'palette',
			keys: ['ctrl+p', 'up', 'shift+tab'],
			label: literal('up'),
			run(shell) {
				step(shell, -1);
			},
		},
		closing('palette', ['esc', 'ctrl+c', 'ctrl+k']),
	];
};

/** Keys of text fields and of everything that lies over the panes. `acts` are what the palette offers. */
export const overlayCommands = (acts: ReadonlyArray<Command<string>>): readonly Command[] => [
	...fieldCommands,
	...paletteCommands(acts),
	...helpCommands,
	...menuCommands,
	...confirmCommands,
	...quitCommands,
	...statesCommands,
	...firstRunCommands,
	...approvalSheetCommands,
	...formCommands,
	...trialCommands,
	...setupCommands,
	...keyCommands,
	...installCommands,
	...loginPasteCommands,
	...typeNameCommands,
];

import {literal} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {askToForget, chosenSession, moveSession, openSession} from './chat-acts.ts';
import {changeChat} from './chat-state.ts';

/** Keys while a conversation is looked for. */
export const findCommands: readonly PaneCommand[] = [
	{
		id: 'chat-find.open',
		keys: ['enter'],
		label: literal('go on with it'),
		why: shell => (chosenSession(shell) ? undefined : literal('Nothing is found')),
		run(shell) {
			const chosen = chosenSession(shell);
			if (chosen) {
				openSession(shell, chosen.session.id);
			}
		},
	},
	{
		id: 'chat-find.down',
		keys: ['down', 'ctrl+n'],
		label: literal('next'),
		quiet: true,
		run(shell) {
			moveSession(shell, 1);
		},
	},
	{
		id: 'chat-find.up',
		keys: ['up', 'ctrl+p'],
		label: literal('previous'),
		quiet: true,
		run(shell) {
			moveSession(shell, -1);
		},
	},
	{
		id: 'chat-find.forget',
		keys: ['ctrl+x'],
		label: literal('forget it (asks)'),
		changes: true,
		why: shell => (chosenSession(shell) ? undefined : literal('Nothing is found')),
		run: askToForget,
	},
	{
		id: 'chat-find.leave',
		keys: ['esc', 'ctrl+c'],
		label: literal('back'),
		run(shell) {
			changeChat(shell, () => ({mode: 'read'}));
		},
	},
];

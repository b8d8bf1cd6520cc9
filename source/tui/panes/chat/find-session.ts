import {compact} from '../../../core/names.ts';
import {sessionOwnerOf, sessionOwnerWords} from '../../../core/session.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {sessionActs, sessionNoun} from '../../../nouns/session/session.ts';
import {clip, fit} from '../../../terminal/text/fit.ts';
import {lineText} from '../../../terminal/text/line-editor.ts';
import {empty, literal, safe} from '../../../terminal/text/safe.ts';
import {dayTime} from '../../../terminal/text/time.ts';
import {type PaneCommand, onKeys, type IdAndKeys} from '../../acts/command.ts';
import {typedRows, type TypedRows} from '../../forms/typed-rows.ts';
import {blankLine, line, type Line} from '../../lines/line.ts';
import {doAct} from '../../nouns/acts.ts';
import type {Shell} from '../../shell/shell.ts';
import {foundNow, type FoundSession} from './chat-loads.ts';
import {changeChat, chatNow} from './chat-state.ts';

/** A session's owner, unless it is the person at the terminal. */
export function ownerOf({session}: FoundSession): Safe {
	const owner = sessionOwnerOf(session);
	const words = escapeLine(sessionOwnerWords(owner));
	switch (owner.kind) {
		case 'person':
			return empty;

		case 'key':
			return safe`key ${words}  `;

		case 'chat':
			return safe`${words}  `;
	}
}

const label = literal(' find: ');

/** The search field and the results in `height` rows; the cursor is in the first row. */
export function findRows(
	shell: Shell,
	{width, height}: {readonly width: number; readonly height: number},
): {readonly rows: readonly Line[]; readonly cursor: TypedRows['cursor']} {
	const {query, index: chosen} = chatNow(shell);
	const typed = typedRows(query, width - label.length - 1, false);
	const found = foundNow(shell);
	const index = Math.max(0, Math.min(chosen, found.length - 1));
	const room = height - 2;
	const top = Math.max(0, Math.min(index - Math.floor(room / 2), found.length - room));
	const none =
		query.value.trim() === ''
			? literal('   No conversations yet.')
			: literal('   No conversation has all of these words.');
	return {
		rows: [
			[{text: label, tone: 'accent'}, {text: typed.rows[typed.cursor.row] ?? empty}],
			blankLine,
			...(found.length === 0
				? [line(none, 'quiet')]
				: found
						.slice(top, top + room)
						.map((one, at) => sessionRow(one, width, top + at === index))),
		],
		cursor: {row: 0, column: label.length + typed.cursor.column},
	};
}

/** A session in one row: when it was last used, its owner, and its title or the excerpt found. */
function sessionRow(found: FoundSession, width: number, isSelected: boolean): Line {
	const {session, excerpt} = found;
	const head = safe`${dayTime(session.usedAt)}  ${fit(escapeLine(String(session.messages)), 4, {align: 'end'})}  `;
	const start = escapeLine(`${isSelected ? ' > ' : '   '}${head}`);
	const about = escapeLine((excerpt ?? session.title).slice(0, 1000).replaceAll(/\s+/g, ' '));
	const owner = ownerOf(found);
	return [
		{text: start, tone: isSelected ? 'accent' : 'quiet'},
		{text: owner, tone: 'quiet'},
		{
			text: clip(about, Math.max(8, width - start.length - owner.length)),
			tone: isSelected ? 'selected' : 'plain',
		},
	];
}

const chosenSession = (shell: Shell) => {
	const found = foundNow(shell);
	return found[Math.min(chatNow(shell).index, found.length - 1)]?.session;
};

/** A command on the selected session. */
const withChosen = (
	run: (shell: Shell, session: FoundSession['session']) => void,
): Pick<PaneCommand, 'run' | 'why'> => ({
	why: shell => (chosenSession(shell) ? undefined : literal('Nothing is found')),
	run(shell) {
		const chosen = chosenSession(shell);
		if (chosen) {
			run(shell, chosen);
		}
	},
});

const moving = (keys: IdAndKeys, says: Safe, step: 1 | -1): PaneCommand =>
	onKeys(keys, says, {
		quiet: true,
		run(shell) {
			const last = foundNow(shell).length - 1;
			changeChat(shell, ({index}) => ({
				index: Math.max(0, Math.min(Math.min(index, last) + step, last)),
			}));
		},
	});

/** Keys while searching for a conversation. */
export const findSessionCommands: readonly PaneCommand[] = [
	onKeys(
		['chat-find.open', 'enter'],
		literal('go on with it'),
		withChosen((shell, {id}) =>
			changeChat(shell, state => ({
				session: id,
				turn: state.session === id ? state.turn : undefined,
				top: undefined,
				mode: 'read',
			})),
		),
	),
	moving(['chat-find.down', 'down', 'ctrl+n'], literal('next'), 1),
	moving(['chat-find.up', 'up', 'ctrl+p'], literal('previous'), -1),
	...sessionActs.map(act =>
		onKeys(['chat-find.forget', ...compact([act.key])], escapeLine(act.label ?? act.verb), {
			changes: true,
			...withChosen((shell, session) =>
				doAct(shell, session, {
					noun: sessionNoun,
					act,
					done: () =>
						changeChat(shell, state => ({
							index: 0,
							query: lineText(),
							mode: 'read',
							...(state.session === session.id && {session: undefined, turn: undefined}),
						})),
				}),
			),
		}),
	),
	onKeys(['chat-find.leave', 'esc', 'ctrl+c'], literal('back'), {
		run: shell => changeChat(shell, () => ({mode: 'read'})),
	}),
];

import type {Group} from '../../../core/group.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {goToRun} from '../../acts/go-to.ts';
import {change} from '../../acts/navigate.ts';
import {placeNow} from '../../acts/place.ts';
import {groupList} from '../../entries/group-list.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';
import {groupText} from './group-detail.ts';

const selected = (shell: Shell): Group | undefined => shell.list(groupList).selected();

const why =
	(isPossible: (group: Group) => boolean, reason: Safe) =>
	(shell: Shell): Safe | undefined => {
		const group = selected(shell);
		if (!group) {
			return literal('No group is selected');
		}

		return isPossible(group) ? undefined : reason;
	};

function askToDispatch(shell: Shell): void {
	const group = selected(shell);
	if (!group) {
		return;
	}

	const {id, key, route, count} = group;
	change(shell, {
		overlay: {
			kind: 'confirm',
			title: safe`Dispatch ${clean(key)} of ${clean(route)} now`,
			lines: [
				count === 1
					? literal('Starts 1 agent run now, for its event.')
					: safe`Starts 1 agent run now, for the latest of its ${count} events; the prompt says that ${count - 1} ${count === 2 ? literal('was') : literal('were')} superseded.`,
				literal('Events that come later open a new group.'),
			],
			act: literal('dispatch'),
			run() {
				shell.attempt(async () => {
					const done = await shell.port.dispatchGroup(id);
					shell.toast(
						done
							? safe`${clean(key)} is dispatched`
							: safe`${clean(key)} had been dispatched already`,
						done ? 'good' : 'warn',
					);
				});
			},
		},
	});
}

/** Commands of the groups in pane 2. */
export const groupCommands: readonly PaneCommand[] = [
	{
		id: 'groups.dispatch',
		changes: true,
		keys: ['d'],
		label: literal('dispatch now (asks)'),
		why: why(({state}) => state === 'pending', literal('The group is dispatched already')),
		run: askToDispatch,
	},
	{
		id: 'groups.run',
		keys: ['o'],
		label: literal('its run'),
		why: why(({runId}) => runId !== undefined, literal('It waits: it has started no run yet')),
		run(shell) {
			const {runId} = selected(shell) ?? {};
			if (runId !== undefined) {
				goToRun(shell, runId);
			}
		},
	},
	{
		id: 'groups.copy',
		keys: ['y'],
		label: literal('copy key'),
		why: why(() => true, literal('')),
		run(shell) {
			const group = selected(shell);
			if (group) {
				shell.attempt(async () => copyText(shell, group.key, literal('key')));
			}
		},
	},
	{
		id: 'groups.pager',
		keys: ['e'],
		label: literal('events and payload in $PAGER'),
		quiet: true,
		why: why(() => true, literal('')),
		run(shell) {
			const group = selected(shell);
			const isStillHere = placeNow(shell, literal('e'));
			shell.attempt(async () => {
				const stored = group && (await shell.port.getGroup(group.id));
				if (!stored) {
					throw new Error('That group is no longer stored');
				}

				const latest = await shell.port.getDelivery(stored.latest);
				if (isStillHere(literal('The pager was not opened'))) {
					await shell.desktop.page(groupText({group: stored, latest}));
				}
			});
		},
	},
];

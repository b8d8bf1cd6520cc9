import {SvcError} from '../../core/errors.ts';
import type {Group} from '../../core/group.ts';
import type {Act} from '../act.ts';

/** The gateway operations on groups. */
export type GroupPort = {
	dispatchGroup(id: number): Promise<boolean>;
	getGroup(id: number): Promise<Group | undefined>;
};

/** What can be done with a group. */
export const groupActs: ReadonlyArray<Act<Group, GroupPort>> = [
	{
		verb: 'dispatch',
		key: 'd',
		label: 'dispatch now (asks)',
		says: 'start the run of a pending group now',
		why: ({state}) => (state === 'pending' ? undefined : 'The group is dispatched already'),
		ask: ({key, route, count}) => ({
			title: `Dispatch ${key} of ${route} now`,
			lines: [
				count === 1
					? 'Starts 1 agent run now, for its event.'
					: `Starts 1 agent run now, for the latest of its ${count} events; the prompt says that ${count - 1} ${count === 2 ? 'was' : 'were'} superseded.`,
				'Events that come later open a new group.',
			],
			act: 'dispatch',
		}),
		async effect(port, id) {
			const isDone = await port.dispatchGroup(Number(id));
			const found = port.getGroup(Number(id));
			// Once the group was dispatched, failing to read it back is no failure of the act.
			const group = await (isDone ? found.catch(() => undefined) : found);
			if (!isDone && !group) {
				return undefined;
			}

			const {key = `Group ${id}`, runId: run} = group ?? {};
			if (!isDone) {
				throw new SvcError(
					'group_dispatched',
					`Cannot dispatch ${key}: it is not pending any more${run === undefined ? '' : `, see "svc runs show ${run}"`}`,
				);
			}

			return {
				said: `${key} is dispatched${run === undefined ? '' : ` as run ${run}`}`,
				json: {group: Number(id), ...(run !== undefined && {run})},
			};
		},
		gone: 'it does not exist',
	},
];

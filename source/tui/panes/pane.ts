import type {GatewayState} from '../../core/state.ts';
import type {Safe} from '../../core/untrusted.ts';
import {own} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
import type {PaneId} from '../state/view.ts';
import {groupOrder} from './groups/group-order.ts';
import {jobsHaveFocus} from './groups/sections.ts';
import {needsDecision} from './runs/run-word.ts';

/** What the frame knows of a pane. */
export type Pane = {
	readonly id: PaneId;
	readonly key: string;
	readonly title: Safe;
	/** For tabs on narrow screens. */
	readonly short: Safe;
	/** The list that has the keyboard. */
	readonly list?: (shell: Pick<Shell, 'lists' | 'view' | 'feed'>) => AnyList;
	/** Rows above the list. */
	readonly headerRows: number;
	readonly hasDetail: boolean;
	/** One row of the detail is chosen, and `j` `k` move that. */
	readonly hasCursor?: boolean;
	/** The list needs the whole width. */
	readonly isWide: boolean;
	/** New items come by themselves, and the list goes along with them. */
	readonly isLive: boolean;
	/** A number beside the name. */
	readonly count?: (state: GatewayState) => number;
};

const bare = {headerRows: 0, hasDetail: false, isWide: true, isLive: false} as const;

/** The panes in the order of their keys. */
export const panes: readonly Pane[] = [
	{
		id: 'traffic',
		key: '1',
		title: own('Traffic'),
		short: own('Traf'),
		list: ({lists}) => lists.traffic,
		headerRows: 1,
		hasDetail: true,
		hasCursor: true,
		isWide: false,
		isLive: true,
	},
	{
		id: 'groups',
		key: '2',
		title: own('Groups'),
		short: own('Grp'),
		list: shell => (jobsHaveFocus(shell) ? shell.lists.jobs : shell.lists.groups),
		headerRows: 0,
		hasDetail: true,
		isWide: true,
		isLive: false,
		count: ({groups}) => groupOrder(groups).pending,
	},
	{
		id: 'tools',
		key: '3',
		title: own('Tools'),
		short: own('Tools'),
		list: ({lists}) => lists.tools,
		headerRows: 1,
		hasDetail: true,
		hasCursor: true,
		isWide: false,
		isLive: false,
		count: ({servers}) => servers.length,
	},
	{...bare, id: 'logins', key: '4', title: own('Logins'), short: own('Auth')},
	{
		id: 'subs',
		key: '5',
		title: own('Subs'),
		short: own('Subs'),
		list: ({lists}) => lists.subs,
		headerRows: 1,
		hasDetail: true,
		isWide: false,
		isLive: false,
		count: ({routes}) => routes.length,
	},
	{
		id: 'approvals',
		key: '6',
		title: own('Approvals'),
		short: own('Appr'),
		list: ({lists}) => lists.approvals,
		headerRows: 1,
		hasDetail: true,
		isWide: false,
		isLive: false,
		count: ({approvals}) => approvals.length,
	},
	{
		id: 'runs',
		key: '7',
		title: own('Runs'),
		short: own('Runs'),
		list: ({lists}) => lists.runs,
		headerRows: 1,
		hasDetail: true,
		isWide: false,
		isLive: true,
		count: ({runs}) =>
			runs.filter(
				run => run.state === 'running' || run.state === 'delivering' || needsDecision(run),
			).length,
	},
	{
		id: 'logs',
		key: '8',
		title: own('Logs'),
		short: own('Logs'),
		list: ({lists}) => lists.logs,
		headerRows: 0,
		hasDetail: true,
		isWide: true,
		isLive: true,
	},
];

const byId = new Map(panes.map(pane => [pane.id, pane]));

/** The pane with this id. */
export function paneOf(id: PaneId): Pane {
	const pane = byId.get(id);
	if (!pane) {
		throw new Error(`There is no pane "${id}"`);
	}

	return pane;
}

import type {ApiKey} from '../../core/api-key.ts';
import {derive} from '../../core/derive.ts';
import type {ApprovalEntry} from '../../core/filter/vocabularies.ts';
import {limits, type GatewayState} from '../../core/state.ts';
import {
	approvalEntries,
	approvalNoun,
	settledEntry,
	withOlder,
} from '../../nouns/approval/approval.ts';
import {keyNoun, keysInOrder} from '../../nouns/key/key.ts';
import {routeNoun} from '../../nouns/route/route.ts';
import {runNoun} from '../../nouns/run/run.ts';
import {atNewest} from '../list/window.ts';
import {nounList, rowsBelow} from '../state/source.ts';

/** The runs in the state: active ones at the top, then the newest. */
export const runList = nounList('runs', runNoun, {
	read: ({runs}) => runs,
	more: host => ({
		position: atNewest,
		newestFirst: true,
		isOnTop: ({state}) => state === 'running' || state === 'delivering',
		history: {
			clock: host.clock,
			isShown: () => host.pane().id === 'runs',
			ask: async (question, hungUp) => host.port.searchRuns(question, hungUp),
			olderAt: 'start',
			cursorOf: Number,
			wholeFrom: state => state.wholeFrom?.run ?? state.runs[0]?.id,
			total: state => state.journal?.runs,
		},
	}),
});

const none: readonly ApiKey[] = [];

/** The keys of the chat API. */
export const keyList = nounList('keys', keyNoun, {read: ({keys = none}) => keysInOrder(keys)});

/** The routes of all profiles. */
export const routeList = nounList('routes', routeNoun, {read: ({routes}) => routes});

/** The row of column names, and the headings that may be between rows. */
const otherRows = 4;

/** Memoised: the same array while nothing changed. */
const entriesOf = derive(
	(
		approvals: GatewayState['approvals'],
		settledApprovals: GatewayState['settledApprovals'],
		approvalRules: GatewayState['approvalRules'],
	): readonly ApprovalEntry[] => approvalEntries({approvals, settledApprovals, approvalRules}),
);

/** Waiting requests, then rules, then decisions. */
export const entryList = nounList('approvals', approvalNoun, {
	read: ({approvals, settledApprovals, approvalRules}) =>
		entriesOf(approvals, settledApprovals, approvalRules),
	more: host => ({
		height: rowsBelow(host, otherRows),
		history: {
			clock: host.clock,
			isShown: () => host.pane().id === 'approvals',
			olderAt: 'end',
			isCut: state => state.settledApprovals.length >= limits.settledApprovals,
			isDone: ({kind}) => kind === 'settled',
			async ask(question, hungUp) {
				const {items, ...step} = await host.port.searchApprovals(question, hungUp);
				return {...step, items: items.map(settledEntry)};
			},
			join: withOlder,
		},
	}),
});

/** How many items of a long list the palette offers, newest first. */
export const recent = 50;

/** The last `count` items, newest first. */
export const newest = <Item>(items: readonly Item[], count: number): readonly Item[] =>
	items.slice(-count).toReversed();

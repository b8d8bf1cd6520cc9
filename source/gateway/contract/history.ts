import {z} from 'zod';
import {sumsBy} from '../../core/run-sums.ts';
import {approvalSchema} from '../../core/schemas/approval.ts';
import {deliverySchema} from '../../core/schemas/delivery.ts';
import {groupSchema} from '../../core/schemas/group.ts';
import {facts, integer, maybeInteger} from '../../core/schemas/parts.ts';
import {routeCountsSchema} from '../../core/schemas/route-counts.ts';
import {runSumsSchema} from '../../core/schemas/run-sums.ts';
import {runSchema} from '../../core/schemas/run.ts';
import {get, type Operations} from './operation.ts';
import {choiceParameter, integerParameter, limitParameter, textParameter} from './parameters.ts';

const query = {
	filter: textParameter('Words as the filter of the list takes them; all when absent.'),
	/** `HistoryQuestion` says what a cursor is. */
	before: integerParameter(
		'Below this cursor, newest first: `searchedTo` of the last step. From the newest when absent.',
	),
	after: integerParameter('Above this cursor, oldest first; 0 for the oldest.'),
	limit: limitParameter(),
};

/** One bounded step of a search; the next one begins at `searchedTo`. */
const stepOf = <Item extends z.ZodType>(item: Item) =>
	facts({
		items: z.array(item),
		/** Absent when nothing is left that way. */
		searchedTo: maybeInteger,
		/** Rows that were looked at. */
		scanned: integer,
	});

const says = 'One step of a search through';

/** The whole history, in the language of the filters. */
export const history = {
	searchDeliveries: get(
		'/v1/history/deliveries',
		`${says} all stored deliveries; a cursor is the number behind an identifier.`,
		{query, heedsHangUp: true, result: stepOf(deliverySchema)},
	),
	searchRuns: get('/v1/history/runs', `${says} all stored runs; a cursor is the number of a run.`, {
		query,
		heedsHangUp: true,
		result: stepOf(runSchema),
	}),
	searchGroups: get(
		'/v1/history/groups',
		`${says} the groups that were dispatched; a cursor is the number of their run.`,
		{query, heedsHangUp: true, result: stepOf(groupSchema)},
	),
	searchApprovals: get(
		'/v1/history/approvals',
		`${says} the approvals that were settled; a cursor is their number.`,
		{query, heedsHangUp: true, result: stepOf(approvalSchema)},
	),
	/** Counted at most every 30 seconds. */
	countRoutes: get(
		'/v1/history/routes',
		'Counts of the last day by route, from the journal: accepted, ignored, refused, and by hour; at most 30 seconds old.',
		{result: routeCountsSchema},
	),
	sumRuns: get(
		'/v1/history/usage',
		'Sums of the runs in the journal: how they ended, tokens, cost and time.',
		{
			query: {
				by: choiceParameter('What they are summed by; the route when absent.', {
					listed: 'sums',
					values: sumsBy,
					absent: undefined,
				}),
				since: integerParameter(
					'Only those made since then, milliseconds since 1970; the last 7 days when absent.',
				),
				profile: textParameter('Only those of this profile.'),
			},
			heedsHangUp: true,
			result: runSumsSchema,
		},
	),
} as const satisfies Operations;

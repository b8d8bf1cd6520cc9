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
	/** Cursors are explained at `HistoryQuestion`. */
	before: integerParameter(
		'Below this cursor, newest first: `searchedTo` of the last step. From the newest when absent.',
	),
	after: integerParameter('Above this cursor, oldest first; 0 for the oldest.'),
	limit: limitParameter(),
};

/** One bounded step of a search; the next step begins at `searchedTo`. */
const search = <const Noun extends string, Item extends z.ZodType>(
	noun: Noun,
	what: string,
	item: Item,
) =>
	get(`/v1/history/${noun}` as const, `One step of a search through ${what}`, {
		query,
		heedsHangUp: true,
		result: facts({
			items: z.array(item),
			/** Absent when no rows are left in that direction. */
			searchedTo: maybeInteger,
			/** Number of rows examined. */
			scanned: integer,
		}),
	});

/** Searches and counts over the whole history, in the filter language. */
export const history = {
	searchDeliveries: search(
		'deliveries',
		'all stored deliveries; a cursor is the number from which the identifier of a delivery is made.',
		deliverySchema,
	),
	searchRuns: search('runs', 'all stored runs; a cursor is the number of a run.', runSchema),
	searchGroups: search(
		'groups',
		'the groups that were dispatched; a cursor is the number of their run.',
		groupSchema,
	),
	searchApprovals: search(
		'approvals',
		'the approvals that were settled; a cursor is their number.',
		approvalSchema,
	),
	/** Cached for 30 seconds. */
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

import type {Config} from '../../config/config.ts';
import type {Route} from '../../config/route.ts';
import type {StoredDelivery} from '../../core/delivery.ts';
import {SvcError} from '../../core/errors.ts';
import {createLogger} from '../../core/log.ts';
import {createRedact} from '../../core/redact.ts';
import {createRouteCompiler} from '../../webhook/compiled-route.ts';
import {createFilterFiles} from '../../webhook/filter-files.ts';
import {filterHeadersOf} from '../../webhook/filter-headers.ts';
import type {Context} from '../context.ts';
import {openRecords} from '../gateway-access.ts';
import {tell} from '../print.ts';
import {readInput} from '../read-input.ts';
import {readFilters} from '../webhook/read-filters.ts';
import {readRoutes} from '../webhook/read-routes.ts';
import {readConfig} from '../webhook/receiver-facts.ts';
import {compare} from './compare.ts';
import {editedRoute, editedSettings, type Edits} from './edited-route.ts';
import {outcomesOf} from './outcomes.ts';
import {reportSimulation} from './report.ts';
import {storedEvents} from './stored-events.ts';

/** Flags of `svc webhook simulate`. */
export type SimulateFlags = Omit<Edits, 'filters'> & {
	readonly last: number;
	readonly filtersFile?: string;
	readonly promptFile?: string;
	readonly json?: boolean;
};

const maxPromptBytes = 1024 * 1024;

/**
 * Decides stored events of a route anew, with the settings of today and with those that the flags name, and says what would be different. Reads only; scripts do
 * not run.
 *
 * @throws SvcError `route_not_found`, `simulation_refused`, `filters_unreadable`, `file_unreadable`
 */
export async function simulate(
	context: Context,
	name: string,
	{last, filtersFile, promptFile, json = false, ...flags}: SimulateFlags,
): Promise<void> {
	const config = readConfig(context);
	const route = readRoutes(context, config).routes.get(name);
	if (!route) {
		throw new SvcError(
			'route_not_found',
			`Cannot simulate "${name}": there is no such route that is served, see "svc webhook list"`,
		);
	}

	const edits: Edits = {
		...flags,
		...(filtersFile !== undefined && {filters: await readFilters(context, filtersFile)}),
		...(promptFile !== undefined && {
			prompt: await readInput(context, promptFile, {maxBytes: maxPromptBytes}),
		}),
	};
	const edited = editedRoute(route, edits, config);
	await using records = await openRecords(context);
	const {events, leftOut} = await storedEvents(records, {route, last});
	const settingsOf = compilerFor(context, config);
	const today = outcomesOf(events, settingsOf(route));
	const settings = editedSettings(edits);
	const after = settings.length === 0 ? undefined : outcomesOf(events, settingsOf(edited));
	await reportSimulation(context, {
		route: name,
		settings,
		events,
		leftOut,
		notes: notesOn(route, edited, events),
		today,
		...(after && {edited: {...after, ...compare(events, today, after)}}),
		json,
	});
}

/** What these settings ask that is not in the journal. */
const notesOn = (
	route: Route,
	edited: Route,
	events: readonly StoredDelivery[],
): readonly string[] => [
	...(route.script === undefined
		? []
		: [`the script ${route.script} is not run: what it ignores or changes does not show`]),
	...filterHeadersOf([...route.filters, ...edited.filters]).flatMap(header => {
		const without = events.filter(({headers}) => !Object.hasOwn(headers, header)).length;
		return without === 0
			? []
			: [
					`the header ${header} is not stored with ${without} of ${events.length} events: filters find it missing there`,
				];
	}),
];

/** Makes routes ready as their receiver does; a filter file that cannot be used is told. */
function compilerFor(context: Context, config: Config) {
	const {clock} = context;
	const log = createLogger({
		clock,
		redact: createRedact(() => config.secretValues),
		write({level, message}) {
			if (level === 'warn' || level === 'error') {
				tell(context, message);
			}
		},
	});
	const files = createFilterFiles({clock, log});
	const compile = createRouteCompiler(profile => files(config.profiles.of(profile).paths.home));
	return (route: Route) => ({route, compiled: compile(route)});
}

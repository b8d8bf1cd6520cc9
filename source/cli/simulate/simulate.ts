import type {Config} from '../../config/config.ts';
import type {Route} from '../../config/route.ts';
import {SvcError} from '../../core/errors.ts';
import {createLogger} from '../../core/log.ts';
import {createRedact} from '../../core/redact.ts';
import {compare} from '../../gateway/simulate/compare.ts';
import {judge} from '../../gateway/simulate/judge.ts';
import {notesOn} from '../../gateway/simulate/notes.ts';
import {outcomesOf} from '../../gateway/simulate/outcomes.ts';
import {storedEvents} from '../../gateway/simulate/stored-events.ts';
import {createRouteCompiler} from '../../webhook/compiled-route.ts';
import {createFilterFiles} from '../../webhook/filter-files.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {readInput} from '../console/read-input.ts';
import {openHome} from '../home/open-home.ts';
import {readConfig} from '../home/receiver-facts.ts';
import {readFilters} from '../webhook/read-filters.ts';
import {readRoutes} from '../webhook/read-routes.ts';
import {editedRoute, editedSettings, type Edits} from './edited-route.ts';
import {reportSimulation} from './report.ts';

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
	await using home = await openHome(context, 'read');
	const {events, leftOut} = await storedEvents(
		{get: home.getDelivery, list: home.listDeliveries},
		{route, last},
	);
	const settingsOf = compilerFor(context, config);
	const outcomesWith = (decidedBy: Route) => {
		const ready = settingsOf(decidedBy);
		return outcomesOf(
			events,
			events.map(event => judge(event, ready)),
			decidedBy,
		);
	};

	const today = outcomesWith(route);
	const settings = editedSettings(edits);
	const after = settings.length === 0 ? undefined : outcomesWith(edited);
	await reportSimulation(context, {
		route: name,
		settings,
		events,
		leftOut,
		notes: notesOn(
			[route, edited],
			events.map(({headers}) => headers),
		),
		today,
		...(after && {edited: {...after, ...compare(events, today, after)}}),
		json,
	});
}

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

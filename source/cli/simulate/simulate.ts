import type {Config} from '../../config/config.ts';
import {type SubscribeFlags, mergeSubscription} from '../../config/merge-subscription.ts';
import {resolveSubscription, routeContextOf} from '../../config/resolve-subscription.ts';
import type {Route} from '../../config/route.ts';
import {SvcError} from '../../core/errors.ts';
import {type JsonObject, isJsonObject} from '../../core/json.ts';
import {createLogger} from '../../core/log.ts';
import {createRedact} from '../../core/redact.ts';
import {compare} from '../../gateway/simulate/compare.ts';
import {judgeEvent, notesOn, storedEvents} from '../../gateway/simulate/judge.ts';
import {outcomesOf} from '../../gateway/simulate/outcomes.ts';
import {defaultTarget} from '../../platforms/platforms.ts';
import {createRouteCompiler} from '../../webhook/admission.ts';
import {createFilterFiles} from '../../webhook/filter-files.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {readInput} from '../console/read-input.ts';
import {openHome} from '../home/open-home.ts';
import {readConfig, servedRoute} from '../home/receiver-facts.ts';
import {readFilters} from '../webhook/read-filters.ts';
import {reportSimulation} from './report.ts';

/** The flags of `svc webhook simulate`. */
export type SimulateFlags = Omit<Edits, 'filters'> & {
	readonly last: number;
	readonly filtersFile?: string;
	readonly promptFile?: string;
	readonly json?: boolean;
};

const maxPromptBytes = 1024 * 1024;

/**
 * Repeats the decisions on a route's stored events, with its current settings and with those in the flags, and reports differences. Read-only; scripts do not run.
 *
 * @throws SvcError `route_not_found`, `simulation_refused`, `filters_unreadable`, `file_unreadable`
 */
export async function simulate(
	context: Context,
	name: string,
	{last, filtersFile, promptFile, json = false, ...flags}: SimulateFlags,
): Promise<void> {
	const config = readConfig(context);
	const route = servedRoute(context, config, {name, failed: `Cannot simulate "${name}"`});

	const edits = writtenEdits(route, {
		...flags,
		...(filtersFile !== undefined && {filters: await readFilters(context, filtersFile)}),
		...(promptFile !== undefined && {
			prompt: await readInput(context, promptFile, {maxBytes: maxPromptBytes}),
		}),
	});
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
			events.map(event => judgeEvent(event, ready)),
			decidedBy,
		);
	};

	const today = outcomesWith(route);
	const settings = Object.keys(edits);
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

/** Compiles routes as their receiver does; reports an unusable filter file. */
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

/** Settings to try in place of a route's; absent ones stay. */
type Edits = Pick<
	SubscribeFlags,
	'coalesceKey' | 'coalesceMaxWait' | 'coalesceWindow' | 'events' | 'filters' | 'prompt'
>;

const secondMs = 1000;

/** The settings in `edits` as written in a file: `coalesce` is completed with the route's values. */
function writtenEdits({coalesce}: Route, edits: Edits): JsonObject {
	const written = mergeSubscription({}, edits, {today: ''});
	const before = coalesce && {
		key: coalesce.key,
		window_seconds: coalesce.windowMs / secondMs,
		max_wait_seconds: coalesce.maxWaitMs / secondMs,
	};
	return isJsonObject(written['coalesce'])
		? {...written, coalesce: {key: '', ...before, ...written['coalesce']}}
		: written;
}

/**
 * A route with other settings, validated as by its receiver.
 *
 * @throws SvcError `simulation_refused`
 */
function editedRoute(route: Route, edits: JsonObject, config: Config): Route {
	const {events, filters, coalesce} = edits;
	const resolved = resolveSubscription(
		route.name,
		// A placeholder: signatures are not checked.
		{secret: 'simulated', deliver: defaultTarget, ...edits},
		routeContextOf(config),
	);
	if (!resolved.ok) {
		throw new SvcError(
			'simulation_refused',
			`Cannot simulate: ${resolved.refusals[0]?.reason ?? 'the settings are refused'}`,
		);
	}

	if (coalesce && (route.deliverOnly || route.cronJob !== undefined)) {
		throw new SvcError(
			'simulation_refused',
			`Cannot simulate: route "${route.name}" starts no agent runs of its own, so there is nothing to gather`,
		);
	}

	const written = resolved.route;
	return {
		...route,
		...(events !== undefined && {events: written.events}),
		...(filters !== undefined && {filters: written.filters}),
		...(written.prompt !== undefined && {prompt: written.prompt}),
		...(written.coalesce && {coalesce: written.coalesce}),
	};
}

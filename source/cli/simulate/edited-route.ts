import type {Config} from '../../config/config.ts';
import type {SubscribeFlags} from '../../config/merge-subscription.ts';
import {resolveSubscription, routeContextOf} from '../../config/resolve-subscription.ts';
import type {Route} from '../../config/route.ts';
import {SvcError} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import {defaultTarget} from '../../platforms/platforms.ts';

/** What is to be tried instead of what a route says; what is absent stays. */
export type Edits = Pick<
	SubscribeFlags,
	'coalesceKey' | 'coalesceMaxWait' | 'coalesceWindow' | 'events' | 'filters' | 'prompt'
>;

/** The settings that `edits` name. */
export const editedSettings = ({
	coalesceKey,
	coalesceWindow,
	coalesceMaxWait,
	...edits
}: Edits): readonly string[] => [
	...Object.keys(edits),
	...([coalesceKey, coalesceWindow, coalesceMaxWait].some(value => value !== undefined)
		? ['coalesce']
		: []),
];

const secondMs = 1000;

/**
 * A route with other settings, checked as its receiver checks them.
 *
 * @throws SvcError `simulation_refused`
 */
export function editedRoute(route: Route, edits: Edits, config: Config): Route {
	const {events, filters, prompt} = edits;
	const coalesce = coalesceOf(route, edits);
	const resolved = resolveSubscription(
		route.name,
		{
			// Whatever the route's own is: signatures are not looked at.
			secret: 'simulated',
			deliver: defaultTarget,
			...(events && {events}),
			...(filters !== undefined && {filters}),
			...(prompt !== undefined && {prompt}),
			...(coalesce && {coalesce}),
		},
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
		...(events && {events: written.events}),
		...(filters !== undefined && {filters: written.filters}),
		...(written.prompt !== undefined && {prompt: written.prompt}),
		...(written.coalesce && {coalesce: written.coalesce}),
	};
}

/** `coalesce` as it would be written; `undefined` when it stays as it is. */
function coalesceOf(
	{coalesce}: Route,
	{coalesceKey, coalesceWindow, coalesceMaxWait}: Edits,
): JsonValue | undefined {
	if ([coalesceKey, coalesceWindow, coalesceMaxWait].every(value => value === undefined)) {
		return undefined;
	}

	const window = coalesceWindow ?? (coalesce && coalesce.windowMs / secondMs);
	const maxWait = coalesceMaxWait ?? (coalesce && coalesce.maxWaitMs / secondMs);
	return {
		key: coalesceKey ?? coalesce?.key ?? '',
		...(window !== undefined && {window_seconds: window}),
		...(maxWait !== undefined && {max_wait_seconds: maxWait}),
	};
}

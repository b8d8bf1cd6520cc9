import {loadConfig} from '../../config/load-config.ts';
import {rotateRouteSecret, type RouteRotation} from '../../config/rotate-route.ts';
import {withoutSecrets} from '../../config/route-edit/kept-secrets.ts';
import {saveDraft} from '../../config/route-edit/save-draft.ts';
import {fingerprintOf, readWrittenRoute} from '../../config/route-edit/written-route.ts';
import {removeSubscription, setSubscriptionPaused} from '../../config/subscriptions.ts';
import {warningOnSecrets} from '../../config/weak-secrets.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import {surroundingsOf} from '../../gateway/route-editor/surroundings.ts';
import type {RotatedSecret, RoutePort} from '../../nouns/route/route-acts.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {tell, printResult} from '../console/print.ts';
import {readConfig, readRoutes} from '../home/receiver-facts.ts';

/** Operations on routes in their files, with or without a running gateway. */
export type RouteFiles = RoutePort<RouteRotation> &
	AsyncDisposable & {
		/** Prints a new secret, only this once, and when the old one expires. */
		sayRotated(once: RotatedSecret<RouteRotation>, json: boolean): void;
	};

/** `secret`: the new secret of a rotated route, instead of a random one. */
export const routeFiles = (context: Context, secret: string | undefined): RouteFiles => ({
	setRoutePaused: async (name, {paused}) =>
		setSubscriptionPaused(context.paths(), name, {paused, clock: context.clock}),
	removeRoute: async name => removeSubscription(context.paths(), name, context),
	rotateRoute: async (name, {overlap_ms: overlapMs}) =>
		rotateRouteSecret(readConfig(context), name, {
			...(secret !== undefined && {secret}),
			overlapMs,
			clock: context.clock,
		}),
	sayRotated({name, rotated}, json) {
		const weak = secret === undefined ? undefined : warningOnSecrets([secret]);
		if (weak !== undefined) {
			tell(context, weak);
		}

		const {kept, until} = rotated;
		const passes =
			kept === 0
				? 'The old secret does not pass any more'
				: `The old secret passes until ${printableTime(until)}: give the sender the new one before`;
		printResult(context, {
			json,
			value: {name, ...rotated, until: kept === 0 ? null : new Date(until)},
			lines: [`Rotated ${name}`, `secret  ${rotated.secret}   (shown once)`, passes],
		});

		if (!readRoutes(context, readConfig(context)).routes.has(name)) {
			tell(context, `Route "${name}" is not served: see "svc webhook list"`);
		}
	},
	async [Symbol.asyncDispose]() {
		// Each change locks and unlocks its file by itself.
	},
});

/**
 * Renames a route in its file; if two have the name, the one in `config.yaml`, which is the one served.
 *
 * @throws SvcError `route_not_found`, `route_refused` for a name that cannot be, `route_conflict`; what `editConfig` and `editSubscriptions` throw
 */
export async function renameRoute(
	context: Context,
	{from, name, json}: {readonly from: string; readonly name: string; readonly json?: boolean},
): Promise<void> {
	if (from === name) {
		throw new SvcError('route_refused', `Cannot rename route "${from}": that is its name`);
	}

	const config = readConfig(context);
	const {paths} = config;
	const {clock, environment} = context;
	const written = (['static', 'dynamic'] as const)
		.map(source => readWrittenRoute(paths, from, source))
		.find(({entry}) => entry !== undefined);
	if (written?.entry === undefined) {
		throw new SvcError('route_not_found', `Cannot find route "${from}": see "svc webhook list"`);
	}

	const {source, entry} = written;
	const definition = withoutSecrets(entry);
	const draft = {
		source,
		from,
		fingerprint: fingerprintOf(entry),
		definition: isJsonObject(definition) ? definition : {},
	};
	const load = (text: string) => loadConfig({paths, environment, text});
	const surroundings = surroundingsOf({clock}, {config, load});
	const {file, warnings} = await saveDraft(name, draft, {surroundings, clock});
	const value = {name, from, source, file, warnings};
	printResult(context, {json, value, lines: [`Renamed ${from} to ${name}`], notes: warnings});
}

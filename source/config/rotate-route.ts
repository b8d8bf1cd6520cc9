import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import {isJsonObject, type JsonObject} from '../core/json.ts';
import {isStaticName} from './check-subscription.ts';
import type {Config} from './config.ts';
import {editConfig} from './edit-config.ts';
import type {YamlEdit} from './edit-yaml.ts';
import {plainAt} from './plain-data.ts';
import {routesPlace} from './profiles.ts';
import {rotateSubscription, type Rotated} from './rotate-secret.ts';
import {isSet} from './route-refusals.ts';
import {editSubscriptions} from './subscriptions.ts';

/** The result of a rotation. */
export type RouteRotation = Awaited<ReturnType<typeof rotateRouteSecret>>;

/**
 * Gives a route a new secret (a generated one if none is given) and lets the old one pass for `overlapMs`, at most 30 days. Edits `config.yaml`, keeping its comments, for
 * a static route, else the file of dynamic routes; both under the lock of the file.
 *
 * @throws SvcError `route_not_found`; `rotation_refused` for a secret that is inherited or a reference, or a new one that cannot be; what `editConfig` and
 * `editSubscriptions` throw
 */
export async function rotateRouteSecret(
	config: Config,
	name: string,
	options: {readonly secret?: string; readonly overlapMs: number; readonly clock: Clock},
) {
	const {secret, overlapMs, clock} = options;
	const now = clock.now();
	let rotated: Extract<Rotated, {ok: true}> | undefined;
	const rotate = (entry: JsonObject) => {
		const result = rotateSubscription(entry, {secret, now, overlapMs});
		if (!result.ok) {
			throw new SvcError(
				'rotation_refused',
				`Cannot rotate the secret: route "${name}" ${result.reason}`,
			);
		}

		rotated = result;
		return result.entry;
	};

	const {paths} = config;
	const isStatic = isStaticName(name, config);
	await (isStatic
		? editConfig(paths, written => editsOf(written, name, rotate), {clock})
		: editSubscriptions(
				paths,
				entries => {
					const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
					return {...entries, [name]: rotate(requireEntry(entry, name))};
				},
				{clock},
			));
	if (!rotated) {
		throw notFound(name);
	}

	return {
		/** `static`: `config.yaml` was edited; `dynamic`: `webhook_subscriptions.json`. */
		source: isStatic ? 'static' : 'dynamic',
		/** The new secret. */
		secret: rotated.secret,
		/** Number of old secrets that pass until `until`. */
		kept: rotated.kept,
		/** Milliseconds since 1970. */
		until: now + overlapMs,
	};
}

/** The edits of the route's keys that change. */
function editsOf(
	written: unknown,
	name: string,
	rotate: (entry: JsonObject) => JsonObject,
): readonly YamlEdit[] {
	const path = [...routesPlace(written), name];
	const before = requireEntry(plainAt(written, path), name);
	const after = rotate(before);
	// A static route gets no `rotated_on` if it has none: people write that file.
	return ['secret', 'retired_secrets', ...(isSet(before['rotated_on']) ? ['rotated_on'] : [])]
		.filter(key => after[key] !== before[key])
		.map(key => ({path: [...path, key], value: after[key]}));
}

function requireEntry(entry: unknown, name: string): JsonObject {
	if (!isJsonObject(entry)) {
		throw notFound(name);
	}

	return entry;
}

const notFound = (name: string) =>
	new SvcError('route_not_found', `Cannot find route "${name}": see "svc webhook list"`);

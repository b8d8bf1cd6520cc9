import {isJsonObject} from '../core/json.ts';
import type {Config, HomePaths, Profiles, WebhookConfig} from './config.ts';
import {defaultProfile} from './home-paths.ts';
import {itemAt} from './item-errors.ts';
import {warningsAt} from './place-diagnostic.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {valueAt, type KeyPath} from './plain-data.ts';
import {missingProfile} from './profiles.ts';
import {routesPlace} from './routes-place.ts';

const multiplexKey: KeyPath = ['gateway', 'multiplex_profiles'];

/**
 * Whether `value` (all of `config.yaml`) asks to serve several profiles, and this home can: one that is itself a profile cannot. Where that cannot be read, as `before`, the configuration in
 * use, has it; else none.
 */
export function multiplexes(
	value: unknown,
	options: {
		readonly paths: HomePaths;
		/** See `findLostKeys`. */
		readonly lost?: readonly UnplacedDiagnostic[];
		readonly before?: Config | undefined;
	},
): boolean {
	const {paths, lost = [], before} = options;
	const written = valueAt(value, multiplexKey) ?? false;
	const section = valueAt(value, ['gateway']) ?? {};
	const isLost = lost.some(({path}) => itemAt(path)[0] === multiplexKey[0]);
	const isRead = typeof written === 'boolean' && isJsonObject(section) && !isLost;
	const wanted = isRead ? written : before?.multiplexProfiles;
	return wanted === true && paths.profile === defaultProfile;
}

/** What a person should know of the profiles that `value` names: a key without effect, routes that are not served, profiles without a folder. */
export function diagnoseProfiles(
	value: unknown,
	options: {
		readonly paths: HomePaths;
		readonly webhook: WebhookConfig;
		readonly profiles: Profiles;
	},
): readonly UnplacedDiagnostic[] {
	const {paths, webhook, profiles} = options;
	const placeOf = (route: string): KeyPath => [...routesPlace(value), route, 'profile'];
	const isIdle = valueAt(value, multiplexKey) === true && !multiplexes(value, {paths});
	return [
		...warningsAt(
			multiplexKey,
			isIdle ? 'has no effect in a profile: only a gateway without -p serves several' : undefined,
		),
		...webhook.skipped.flatMap(({name, reason}) => warningsAt(placeOf(name), reason)),
		...[...webhook.routes.values()].flatMap(({name, profile}) =>
			warningsAt(placeOf(name), missingProfile(profile, {profiles})),
		),
	];
}

import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import {isJsonObject, type JsonObject} from '../core/json.ts';
import type {HomePaths} from './config.ts';
import {editSubscriptions} from './edit-subscriptions.ts';
import {subscriptionsText} from './shared-home.ts';

/** Takes a dynamic route out of its file, under the lock of the file. @throws SvcError `subscription_not_found`, and what `editSubscriptions` throws */
export async function removeSubscription(
	paths: HomePaths,
	name: string,
	{clock}: {readonly clock: Clock},
): Promise<void> {
	await editSubscriptions(
		paths,
		entries => {
			requireSubscription(entries, name, paths);
			const {[name]: _removed, ...others} = entries;
			return others;
		},
		{clock},
	);
}

/**
 * Writes `enabled: false` into a dynamic route, or takes the key out again; everything else stays. The same lock. What is so already is not written.
 *
 * @throws SvcError `subscription_not_found`, `route_not_editable` for one that is no mapping, and what `editSubscriptions` throws
 * @see manual/routes.md#pause-a-route
 */
export async function setSubscriptionPaused(
	paths: HomePaths,
	name: string,
	{paused, clock}: {readonly paused: boolean; readonly clock: Clock},
): Promise<void> {
	await editSubscriptions(
		paths,
		entries => {
			const entry = requireSubscription(entries, name, paths);
			if (!isJsonObject(entry)) {
				throw new SvcError(
					'route_not_editable',
					`Cannot ${paused ? 'pause' : 'resume'} "${name}": its entry in "${subscriptionsText(paths).name}" is no mapping`,
				);
			}

			const {enabled, ...rest} = entry;
			const isSo = paused ? enabled === false : enabled === undefined;
			return isSo ? entries : {...entries, [name]: paused ? {...rest, enabled: false} : rest};
		},
		{clock},
	);
}

function requireSubscription(entries: JsonObject, name: string, paths: HomePaths) {
	if (!Object.hasOwn(entries, name)) {
		throw subscriptionNotFound(name, subscriptionsText(paths).name);
	}

	return entries[name];
}

/** The refusal for a name that no dynamic route in `file` has. */
export const subscriptionNotFound = (name: string, file: string): SvcError =>
	new SvcError(
		'subscription_not_found',
		`Cannot find route "${name}" in "${file}": see "svc webhook list"`,
	);

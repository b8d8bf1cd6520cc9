import type {Clock} from '../core/clock.ts';
import {messageOf, SvcError} from '../core/errors.ts';
import {isJsonObject, type JsonObject} from '../core/json.ts';
import type {World} from '../core/world.ts';
import type {HomePaths} from './config.ts';
import {editedSubscriptions} from './edited-text.ts';
import {repeatedKeysIn} from './json-source.ts';
import {createLastGoodReader, type LastGood} from './keep-last-good.ts';
import {subscriptionsText} from './text-files.ts';
import {createPositions} from './text-positions.ts';

/** The entries of `webhook_subscriptions.json` as written, or as last read while the file cannot be used. */
export type Subscriptions = LastGood & {
	readonly entries: JsonObject;
	/** The text of the file; absent if the entries come from no file. */
	readonly text?: string;
};

export type SubscriptionsReader = {
	/** The present dynamic routes. A call without a change of the file costs one `stat`. Never throws. */
	current(): Subscriptions;
};

/**
 * Reads the dynamic routes of a home, again whenever modification time, size or inode of the file changed. A file that cannot be used (more than 4 MiB, not a JSON object)
 * is reported once to `log`, and the last good entries stay. The same holds for a file that became blank: editors that save in place empty it first. A missing file has no
 * entries.
 *
 * @see manual/routes.md#dynamic-routes
 */
export function createSubscriptionsReader(
	world: Pick<World, 'clock' | 'log'> & {
		readonly paths: Pick<HomePaths, 'shared' | 'subscriptions'>;
	},
): SubscriptionsReader {
	const written = subscriptionsText(world.paths);
	const path = written.name;
	return createLastGoodReader<Subscriptions>(written, world, {
		first: {entries: {}},
		absent: '{}',
		read(text, last) {
			const entries = parseSubscriptions(text, path);
			if (isBlank(text) && Object.keys(last.entries).length > 0) {
				throw new SvcError(
					'subscriptions_broken',
					`Cannot use "${path}": it is empty; none at all is written "{}"`,
				);
			}

			return {entries, text};
		},
		consequence: wasRead =>
			wasRead
				? 'the last good dynamic routes stay in place'
				: 'what is no route of config.yaml is answered with 503',
	});
}

const isBlank = (text: string): boolean => text.trim() === '';

/**
 * The entries in the text of the file of dynamic routes; blank text holds none.
 *
 * @throws SvcError `subscriptions_broken`
 */
export function parseSubscriptions(text: string, path: string): JsonObject {
	if (isBlank(text)) {
		return {};
	}

	const value = parseJson(text, path);
	if (!isJsonObject(value)) {
		throw new SvcError(
			'subscriptions_broken',
			`Cannot use "${path}": it must hold one JSON object, route name to route`,
		);
	}

	return value;
}

function parseJson(text: string, path: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		// The engine's message quotes the text around the error, which may contain a secret.
		const {line, column} = createPositions(text)(offsetOfMistake(text, messageOf(error)));
		throw new SvcError(
			'subscriptions_broken',
			`Cannot use "${path}": it is not JSON at line ${line}, column ${column}`,
		);
	}
}

/** The offset of the error, as far as the engine reports it; the end of the text if it ended too early. */
function offsetOfMistake(text: string, said: string): number {
	const [, position] = / at position (\d+)/.exec(said) ?? [];
	if (position !== undefined) {
		return Number(position);
	}

	let [low, high] = [0, text.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (isMistaken(text.slice(0, middle + 1))) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}

	return low;
}

function isMistaken(beginning: string): boolean {
	try {
		JSON.parse(beginning);
		return false;
	} catch (error) {
		return messageOf(error).startsWith('Unexpected token');
	}
}

/**
 * Edits `webhook_subscriptions.json`: replaces its entries by the result of `change`, while other writers wait. Unknown keys stay. Returns the entries as written; if
 * `change` returns its argument, nothing is written.
 *
 * @throws SvcError `subscriptions_broken` for a file that does not parse or holds a key twice, which is never overwritten; `file_too_large`, `lock_timeout`
 * @see manual/routes.md#dynamic-routes
 */
export async function editSubscriptions(
	paths: HomePaths,
	change: (entries: JsonObject) => JsonObject,
	{clock}: {readonly clock: Clock},
): Promise<JsonObject> {
	const written = editedSubscriptions(paths);
	return written.edit(
		text => {
			const entries = parseSubscriptions(text, written.name);
			const changed = change(entries);
			if (changed === entries) {
				return {value: entries};
			}

			refuseRepeated(text, written.name);
			return {value: changed, text: `${JSON.stringify(changed, null, 2)}\n`};
		},
		{clock},
	);
}

/** Refuses a file with repeated keys: writing it would lose one of the values. */
function refuseRepeated(text: string, path: string): void {
	const [repeated] = repeatedKeysIn(text);
	if (repeated) {
		throw new SvcError(
			'subscriptions_broken',
			`Cannot write "${path}": ${JSON.stringify(repeated.join('.'))} stands twice; remove one of them`,
		);
	}
}

/** Removes a dynamic route from its file, under the lock of the file. @throws SvcError `subscription_not_found`, and what `editSubscriptions` throws */
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
 * Writes `enabled: false` into a dynamic route, or removes the key; everything else stays. Holds the lock of the file. Writes nothing without a change.
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

/** The error about a name without a dynamic route in `file`. */
export const subscriptionNotFound = (name: string, file: string): SvcError =>
	new SvcError(
		'subscription_not_found',
		`Cannot find a dynamic route "${name}" in "${file}": see "svc webhook list"; a route of config.yaml (static) is changed there, or by "svc webhook edit ${name}", also to pause it (enabled: false)`,
	);

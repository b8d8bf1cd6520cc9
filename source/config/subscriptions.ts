import {messageOf, SvcError} from '../core/errors.ts';
import {isJsonObject, type JsonObject} from '../core/json.ts';
import type {World} from '../core/world.ts';
import type {HomePaths} from './config.ts';
import {createLastGoodReader, type LastGood} from './last-good-text.ts';
import {subscriptionsText} from './shared-home.ts';
import {createPositions} from './text-positions.ts';

/** The entries of `webhook_subscriptions.json` as they are written, or as they last could be used. */
export type Subscriptions = LastGood & {
	readonly entries: JsonObject;
	/** What they were read from; absent when they are of no file. */
	readonly text?: string;
};

export type SubscriptionsReader = {
	/** The dynamic routes as of now: one `stat`, and nothing more unless the file changed. Never throws. */
	current(): Subscriptions;
};

/**
 * Reads the dynamic routes of a home, again whenever modification time, size or inode of the file changed. A file that
 * cannot be used (more than 4 MiB, not a JSON object) is reported once to `log` and leaves the last good set in place, and so does one that has become
 * blank: an editor that saves in place empties it first. A missing one is an empty set.
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
		// The engine's message quotes the text around the mistake, where a secret may stand.
		const {line, column} = createPositions(text)(offsetOfMistake(text, messageOf(error)));
		throw new SvcError(
			'subscriptions_broken',
			`Cannot use "${path}": it is not JSON at line ${line}, column ${column}`,
		);
	}
}

/** Where the engine stopped: it does not say so of every mistake, and a text that ends before one lacks only its end. */
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

import {isJsonObject, type JsonValue} from '../core/json.ts';
import type {KeyPath} from './plain-data.ts';
import type {Route} from './route.ts';

/** Matches every key of a mapping. */
const each = '*';

/** Why the skills of a route have no effect; `undefined`: they have, or the route names none. */
export function idleSkills(
	given: Pick<Route, 'skills' | 'deliverOnly' | 'cronJob'>,
): string | undefined {
	const {skills, deliverOnly, cronJob} = given;
	if (skills.length === 0 || !(deliverOnly || cronJob !== undefined)) {
		return undefined;
	}

	return deliverOnly
		? 'has no effect: with deliver_only no agent runs'
		: 'has no effect: with cron_job the skills of the job apply';
}

/** The paths in `value` that match `pattern` and where a key has no value. */
function placesOf(value: JsonValue | undefined, pattern: readonly string[]): readonly KeyPath[] {
	const [next, ...rest] = pattern;
	if (next === undefined) {
		return value === null ? [[]] : [];
	}

	if (!isJsonObject(value)) {
		return [];
	}

	const keys = next === each ? Object.keys(value) : [next].filter(key => Object.hasOwn(value, key));
	return keys.flatMap(key => placesOf(value[key], rest).map(path => [key, ...path]));
}

/** The message about a key without a value. */
export const withoutValue =
	'has no value, which is the same as no such key: give it one or remove it';

/** Keys that restrict a route: without them it allows more than with most values. */
const ofRoutesWithoutValue: ReadonlyArray<readonly string[]> = [
	['events'],
	['filters'],
	['script'],
	['toolsets'],
];

const ofConfigWithoutValue: ReadonlyArray<readonly string[]> = [
	...['trust', 'tools', 'enabled'].map(key => ['mcp_servers', each, key]),
	['toolsets', each, 'hosts'],
	...ofRoutesWithoutValue.map(path => ['platforms', 'webhook', 'routes', each, ...path]),
	...ofRoutesWithoutValue.map(path => ['platforms', 'webhook', 'extra', 'routes', each, ...path]),
];

/** Paths in `value` (all of `config.yaml`) of restricting keys that have no value. */
export const findKeysWithoutValue = (value: JsonValue): readonly KeyPath[] =>
	ofConfigWithoutValue.flatMap(pattern => placesOf(value, pattern));

/** Paths of restricting keys without a value in one route, as written. */
export const findRouteKeysWithoutValue = (route: JsonValue): readonly KeyPath[] =>
	ofRoutesWithoutValue.flatMap(pattern => placesOf(route, pattern));

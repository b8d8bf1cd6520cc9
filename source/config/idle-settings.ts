import {isJsonObject, type JsonValue} from '../core/json.ts';
import type {KeyPath} from './plain-data.ts';
import type {Route} from './route.ts';

/** Stands for every key of a mapping. */
const each = '*';

/** Why the skills of a route have no effect; `undefined` if they have, or the route names none. */
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

/** Where `pattern` leads in `value`, as far as a key without a value stands there. */
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

/** What to say of a key that is there without a value. */
export const withoutValue =
	'has no value, which is the same as no such key: give it one or remove it';

/** Keys whose absence allows more than most values of theirs would. */
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

/** Places of `value` (all of `config.yaml`) where a key that restricts something stands without a value. */
export const findKeysWithoutValue = (value: JsonValue): readonly KeyPath[] =>
	ofConfigWithoutValue.flatMap(pattern => placesOf(value, pattern));

/** The same for one route, as it is written. */
export const findRouteKeysWithoutValue = (route: JsonValue): readonly KeyPath[] =>
	ofRoutesWithoutValue.flatMap(pattern => placesOf(route, pattern));

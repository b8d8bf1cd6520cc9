import {isJsonObject, type JsonValue} from '../core/json.ts';
import type {KeyPath} from './plain-data.ts';
import type {Route} from './route.ts';

/** What to say of a setting that has no effect yet. */
export const notUsedYet = 'this version does not use it yet';

/** Stands for every key of a mapping. */
const each = '*';

/** What a route may say without effect. What would do harm is refused instead: see `route-refusals.ts`. */
const ofRoutes: ReadonlyArray<readonly string[]> = [['mirror_to_session']];

const ofConfig: ReadonlyArray<readonly string[]> = [
	...ofRoutes.map(path => ['platforms', 'webhook', 'routes', each, ...path]),
	...ofRoutes.map(path => ['platforms', 'webhook', 'extra', 'routes', each, ...path]),
];

/** Places of `value` (all of `config.yaml`) that this version accepts and does not use. What is off or empty asks for nothing. */
export const findUnusedSettings = (value: JsonValue): readonly KeyPath[] =>
	ofConfig.flatMap(pattern => placesOf(value, pattern, asksForSomething));

/** The same for one route, as it is written. */
export const findUnusedRouteSettings = (route: JsonValue): readonly KeyPath[] =>
	ofRoutes.flatMap(pattern => placesOf(route, pattern, asksForSomething));

/** Why the skills of a route have no effect; `undefined`: they have, or there are none. */
export function idleSkills({
	skills,
	deliverOnly,
	cronJob,
}: Pick<Route, 'skills' | 'deliverOnly' | 'cronJob'>): string | undefined {
	if (skills.length === 0 || !(deliverOnly || cronJob !== undefined)) {
		return undefined;
	}

	return deliverOnly
		? 'has no effect: with deliver_only no agent runs'
		: 'has no effect: with cron_job the skills of the job apply';
}

type IsWanted = (value: JsonValue | undefined) => boolean;

/** Where `pattern` leads in `value`, as far as `isWanted` wants what stands there. */
function placesOf(
	value: JsonValue | undefined,
	pattern: readonly string[],
	isWanted: IsWanted,
): readonly KeyPath[] {
	const [next, ...rest] = pattern;
	if (next === undefined) {
		return isWanted(value) ? [[]] : [];
	}

	if (!isJsonObject(value)) {
		return [];
	}

	const keys = next === each ? Object.keys(value) : [next].filter(key => Object.hasOwn(value, key));
	return keys.flatMap(key => placesOf(value[key], rest, isWanted).map(path => [key, ...path]));
}

function asksForSomething(value: JsonValue | undefined): boolean {
	if (!isJsonObject(value)) {
		return value !== undefined && value !== null && value !== false;
	}

	return value['enabled'] !== false && Object.keys(value).length > 0;
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
	ofConfigWithoutValue.flatMap(pattern => placesOf(value, pattern, isNull));

/** The same for one route, as it is written. */
export const findRouteKeysWithoutValue = (route: JsonValue): readonly KeyPath[] =>
	ofRoutesWithoutValue.flatMap(pattern => placesOf(route, pattern, isNull));

const isNull = (value: JsonValue | undefined): boolean => value === null;

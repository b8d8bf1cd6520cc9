import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {nearestName} from './nearest-name.ts';
import {deliverValues, platformsToCome, targetOf} from './targets.ts';

/** What this version cannot do yet. */
export const notAvailableYet = 'not_available_yet';

/** Why something cannot be used: a stable name, and what follows the subject in a sentence. */
export type TargetProblem = {readonly code: string; readonly reason: string};

/**
 * Why results cannot go to `deliver` with `extra` (`deliver` and `deliver_extra` of a route or a job, as written; absent ones are `undefined` or null). `undefined`: they can.
 *
 * @see manual/delivery.md
 */
export function targetProblem(deliver: unknown, extra: unknown): TargetProblem | undefined {
	const target = deliver ?? 'log';
	if (typeof target !== 'string' || !isTarget(target)) {
		return {code: 'deliver_unknown', reason: `delivers to no known target${nearTo(target)}`};
	}

	const keys = extra ?? {};
	return isJsonObject(keys)
		? (forgeProblem(target, keys) ?? platformProblem(target))
		: {code: 'deliver_extra_invalid', reason: 'has a "deliver_extra" that is not a mapping'};
}

const isTarget = (name: string): boolean => deliverValues.some(value => value === name);

function nearTo(target: unknown): string {
	const nearest = typeof target === 'string' ? nearestName(target, deliverValues) : undefined;
	return nearest === undefined
		? ': "deliver" must be log, forge_comment or the name of a platform'
		: `: did you mean "${nearest}"`;
}

function forgeProblem(target: string, extra: JsonObject): TargetProblem | undefined {
	const missing =
		targetOf(target) === 'forge_comment'
			? ['repo', 'pr_number'].filter(
					key => !isGiven(Object.hasOwn(extra, key) ? extra[key] : undefined),
				)
			: [];
	const names = missing.map(key => `deliver_extra.${key}`).join(' and ');
	return missing.length === 0
		? undefined
		: {
				code: 'forge_comment_incomplete',
				reason: `delivers to "${target}" without ${names}: set what names the repository and the pull request`,
			};
}

const isGiven = (value: JsonValue | undefined): boolean =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');

const platformProblem = (target: string): TargetProblem | undefined =>
	platformsToCome.includes(target)
		? {
				code: notAvailableYet,
				reason: `delivers to "${target}": this version does not deliver there yet`,
			}
		: undefined;

import {isJsonObject} from '../core/json.ts';
import {nearestName} from '../core/names.ts';
import {defaultTarget, deliverValues, targetKinds, targetNamed} from '../platforms/platforms.ts';
import type {TargetProblem} from '../platforms/target-kind.ts';

/**
 * Why results cannot go to `deliver` with `extra` (`deliver` and `deliver_extra` of a route or a job, as written; absent ones are `undefined` or null). `undefined`: they can.
 *
 * @see manual/delivery.md
 */
export function targetProblem(deliver: unknown, extra: unknown): TargetProblem | undefined {
	const target = deliver ?? defaultTarget;
	if (typeof target !== 'string' || !deliverValues.includes(target)) {
		return {code: 'deliver_unknown', reason: `delivers to no known target${nearTo(target)}`};
	}

	const keys = extra ?? {};
	return isJsonObject(keys)
		? targetNamed(target)?.problem?.(keys, target)
		: {code: 'deliver_extra_invalid', reason: 'has a "deliver_extra" that is not a mapping'};
}

const otherTargets = targetKinds
	.filter(({settings}) => !settings)
	.map(({kind}) => kind)
	.join(', ');

function nearTo(target: unknown): string {
	const nearest = typeof target === 'string' ? nearestName(target, deliverValues) : undefined;
	return nearest === undefined
		? `: "deliver" must be ${otherTargets} or the name of a platform`
		: `: did you mean "${nearest}"`;
}

import {nearestName} from '../core/nearest-name.ts';
import {cell} from '../core/untrusted.ts';
import {deliverValues, platformsToCome} from '../platforms/platforms.ts';

/** What is wrong with a `deliver` value that has no sender. @see manual/delivery.md */
export function unknownTarget(kind: string): {
	readonly code: 'platform_unavailable' | 'platform_unknown';
	readonly problem: string;
} {
	if (platformsToCome.includes(kind)) {
		return {code: 'platform_unavailable', problem: `platform "${kind}" is not available yet`};
	}

	const shown = cell(kind, 80).text;
	const near = nearestName(kind, deliverValues);
	return {
		code: 'platform_unknown',
		problem: `"${shown}" is not a platform${near === undefined ? '' : `, did you mean "${near}"?`}`,
	};
}

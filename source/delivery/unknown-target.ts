import {nearestName} from '../core/names.ts';
import {escapeLine} from '../core/untrusted.ts';
import {deliverValues} from '../platforms/platforms.ts';

/** What is wrong with a `deliver` value that names no kind. @see manual/delivery.md */
export function unknownTarget(kind: string): {
	readonly code: 'platform_unknown';
	readonly problem: string;
} {
	const shown = escapeLine(kind, 80);
	const near = nearestName(kind, deliverValues);
	return {
		code: 'platform_unknown',
		problem: `"${shown}" is not a platform${near === undefined ? '' : `, did you mean "${near}"?`}`,
	};
}

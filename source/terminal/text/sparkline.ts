import {type Safe, escapeLine} from '../../core/untrusted.ts';

const levels = '▁▂▃▄▅▆▇█';

/** One character per value, its height proportional to the largest: `·` only for zero. */
export function sparkline(values: readonly number[]): Safe {
	const most = Math.max(0, ...values);
	return escapeLine(
		values
			.map(value =>
				value <= 0 || most === 0
					? '·'
					: (levels[Math.max(0, Math.ceil((value / most) * levels.length) - 1)] ?? '·'),
			)
			.join(''),
	);
}

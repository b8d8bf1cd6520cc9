import type {Delivery} from './delivery.ts';
import {type DeliveryRow, limits} from './state.ts';

type Reasons = Pick<DeliveryRow, 'reasons' | 'otherReasons'>;

/**
 * The reasons of a row after one more delivery: the detail of the step that stopped it, the newest last, at most `limits.reasons`. The one that
 * was not heard for longest makes room and is counted with the others. A delivery that no step stopped changes nothing.
 */
export function refusalReasonsAfter(
	{reasons = [], otherReasons = 0}: Reasons,
	{trace}: Pick<Delivery, 'trace'>,
): Reasons {
	const detail = trace.find(({verdict}) => verdict === 'stop')?.detail ?? '';
	const kind = kindOf(detail);
	const known = reasons.find(reason => kindOf(reason.detail) === kind);
	const all =
		detail === ''
			? reasons
			: [...reasons.filter(reason => reason !== known), {detail, count: (known?.count ?? 0) + 1}];
	const dropped = all.slice(0, -limits.reasons);
	const others = dropped.reduce((sum, {count}) => sum + count, otherReasons);
	return {
		...(all.length > 0 && {reasons: all.slice(-limits.reasons)}),
		...(others > 0 && {otherReasons: others}),
	};
}

/** A number, not the digits of a name: `skew -713 s` is like `skew -714 s`, `X-Hub-Signature-256` is not like `X-Hub-Signature-1`. */
const numbers = /(?<![\p{L}\d_]|[\p{L}\d_]-)\d+(?![\p{L}\d_])/gu;

/** What details have in common that differ in their numbers alone; a sender whose clock is ahead is not like one whose clock is behind. */
const kindOf = (detail: string): string => detail.replaceAll(numbers, '0');

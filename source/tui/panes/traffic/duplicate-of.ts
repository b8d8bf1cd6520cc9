import type {Delivery} from '../../../core/delivery.ts';

/** Identifier of the delivery that a duplicate was refused for, as its decision names it; `undefined`: it is none. */
export const duplicateOf = ({outcome, trace}: Delivery): string | undefined =>
	outcome === 'duplicate'
		? / delivery ([0-9a-z]+)$/.exec(
				trace.findLast(({step, verdict}) => step === 'duplicate' && verdict === 'stop')?.detail ??
					'',
			)?.[1]
		: undefined;

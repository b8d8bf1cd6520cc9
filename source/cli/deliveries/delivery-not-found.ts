import {SvcError} from '../../core/errors.ts';

/** Shorter endings of an identifier are looked for nowhere. */
const minEndingLength = 4;

/** What to say of an identifier that no delivery has. */
export const deliveryNotFound = (id: string): SvcError =>
	new SvcError(
		'delivery_not_found',
		`Cannot find delivery "${id}"${id.length < minEndingLength ? `: give at least its last ${minEndingLength} characters` : ''}: see "svc deliveries list"`,
	);

import type {StoredDelivery} from '../../core/delivery.ts';
import {SvcError} from '../../core/errors.ts';
import type {Home} from '../home/open-home.ts';

/** Shorter endings of an identifier are not searched. */
const minEndingLength = 4;

/** The delivery with this identifier, or with this ending of it. @throws SvcError `delivery_not_found` */
export async function requireDelivery(
	home: Pick<Home, 'getDelivery'>,
	id: string,
): Promise<StoredDelivery> {
	const found = await home.getDelivery(id);
	if (!found) {
		throw new SvcError(
			'delivery_not_found',
			`Cannot find delivery "${id}"${id.length < minEndingLength ? `: give at least its last ${minEndingLength} characters` : ''}: see "svc deliveries list"`,
		);
	}

	return found;
}

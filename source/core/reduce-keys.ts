import type {GatewayEvent} from './events.ts';
import {limits, type GatewayState} from './state.ts';

/** The keys of the chat API after `event`: those that are known keep their place. */
export function keysAfter(keys: GatewayState['keys'], event: GatewayEvent): GatewayState['keys'] {
	if (event.type !== 'keys-changed') {
		return keys;
	}

	const changed = new Map(event.keys.map(key => [key.id, key]));
	const gone = new Set(event.gone);
	const known = (keys ?? []).map(key => {
		const next = changed.get(key.id) ?? key;
		changed.delete(key.id);
		return next;
	});
	return [...known, ...changed.values()].filter(({id}) => !gone.has(id)).slice(-limits.keys);
}

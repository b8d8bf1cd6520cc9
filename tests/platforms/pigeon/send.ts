import {createAsk} from '../../../source/platforms/ask.ts';
import type {MessagePlace} from '../../../source/platforms/platform.ts';
import type {SenderModule} from '../../../source/platforms/target-kind.ts';
import type {PigeonSettings} from './descriptor.ts';

/** A pigeon carries one line. */
export const connectAs =
	(platform: string): SenderModule<PigeonSettings, MessagePlace>['connect'] =>
	({apiBase, token}, world) => {
		const ask = createAsk(world, {
			platform,
			base: apiBase,
			headers: {authorization: `Bearer ${token}`},
			judge: ({status}) =>
				status === 200
					? true
					: status === 401
						? 'platform_unauthorized'
						: status < 500 && status !== 429 && 'platform_rejected',
		});
		return {
			split(text, _, maxParts = Infinity) {
				const lines = text.split('\n');
				return lines.length > maxParts ? [...lines.slice(0, maxParts - 1), '[cut]'] : lines;
			},
			async send({text}, {chat}, {key, ...limits}) {
				await ask({path: `/fly?to=${encodeURIComponent(chat)}`, json: {text, key}}, limits);
				return {place: `pigeon to ${chat}`};
			},
		};
	};

import type {SenderModule} from '../../../source/platforms/target-kind.ts';
import type {PigeonSettings} from './descriptor.ts';

/** A pigeon carries one line. */
export const connect: SenderModule<PigeonSettings, string>['connect'] = (
	{apiBase = '', token = ''},
	{post},
) => ({
	split: text => text.split('\n'),
	async send({text, target}, chat, {key, limitMs, signal}) {
		const answer = await post({
			platform: target.kind,
			url: `${apiBase}/fly?to=${encodeURIComponent(chat)}`,
			headers: {authorization: `Bearer ${token}`},
			json: {text, key},
			limitMs,
			signal,
		});
		if (answer.status !== 200) {
			throw answer.failure();
		}

		return `pigeon to ${chat}`;
	},
});

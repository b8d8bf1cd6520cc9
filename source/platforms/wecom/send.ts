import {createAsk, type Judged, type Judgement} from '../ask.ts';
import type {Place} from '../platform.ts';
import type {SenderModule} from '../target-kind.ts';
import {wecom} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import type {WecomSettings} from './descriptor.ts';

/** Bytes of `content`. */
const maxBytes = 4096;

/** WeCom counts messages by the minute, and does not say how long to wait. */
const waitMs = 60_000;

/** Posts `markdown_v2` to the webhook of a group, which has no mentions. Rejects as `Ask`. @see manual/delivery-wecom.md */
export const connect: SenderModule<WecomSettings, Place>['connect'] = (
	{webhooks, maxParts},
	world,
) => {
	const ask = createAsk(world, {platform: 'wecom', refusalIs: 'platform_rejected', judge});

	return {
		split: splitAs(wecom, maxBytes, maxParts),
		async send({text}, {chat}, limits) {
			const url = webhooks.get(chat)?.url ?? '';
			await ask({url, json: {msgtype: 'markdown_v2', markdown_v2: {content: text}}}, limits);
			return {place: `wecom ${chat}`};
		},
	};
};

/** Sent too much in this minute, by this webhook or all in all. */
const limited: ReadonlySet<unknown> = new Set([45_009, 45_033]);

/** No such webhook; a message of no known kind, too long, or empty. They are about this webhook or this text: others go on. */
const rejected: ReadonlySet<unknown> = new Set([93_000, 40_008, 40_058, 44_004]);

function judge({json: {errcode}, status}: Judged): Judgement {
	if (errcode === 0) {
		return true;
	}

	if (status === 429 || limited.has(errcode)) {
		return {code: 'platform_rate_limited', retryAfterMs: waitMs};
	}

	return rejected.has(errcode) ? 'platform_rejected' : undefined;
}

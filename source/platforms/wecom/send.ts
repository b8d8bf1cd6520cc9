import {apiSender} from '../api-sender.ts';
import {createAsk, judgeByErrcode} from '../ask.ts';
import type {Connect, WebhookSettings} from '../platform.ts';
import {wecom} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';

/** Maximum size of `content`, bytes. */
const maxBytes = 4096;

/** How long to wait after a rate limit, milliseconds: WeCom limits messages per minute, and does not say how long to wait. */
const waitMs = 60_000;

/** Posts `markdown_v2`, which has no mentions, to the webhook of a group. Rejects as `Ask`. @see manual/delivery-wecom.md */
export const connect: Connect<WebhookSettings> = ({webhooks, maxParts}, world) => {
	const ask = createAsk(world, {platform: 'wecom', refusalIs: 'platform_rejected', judge});

	return apiSender(ask, {
		split: splitAs(wecom, maxBytes, maxParts),
		send: ({text}, {chat}) => ({
			url: webhooks.get(chat)?.url ?? '',
			json: {msgtype: 'markdown_v2', markdown_v2: {content: text}},
		}),
	});
};

const judge = judgeByErrcode({
	waitMs,
	// Too many messages in this minute, by this webhook or by all.
	limited: [45_009, 45_033],
	// No such webhook; a message of an unknown kind, too long, or empty.
	rejected: [93_000, 40_008, 40_058, 44_004],
});

import {createHmac} from 'node:crypto';
import {escapeLine} from '../../core/untrusted.ts';
import {apiSender} from '../api-sender.ts';
import {createAsk, judgeByErrcode} from '../ask.ts';
import type {Connect, WebhookSettings} from '../platform.ts';
import {secretsOfWebhooks, type Webhook} from '../settings.ts';
import {dingtalk} from '../text/dialects.ts';
import {utf8Bytes} from '../text/elements.ts';
import {splitAs} from '../text/messages.ts';

/** Maximum size of the text in the body, bytes; DingTalk accepts 20,000. */
const maxBytes = 19_000;

const maxTitleLength = 100;

/** How long a robot that sent too much is blocked, milliseconds: DingTalk does not say it. */
const blockedMs = 600_000;

/** Posts Markdown to the webhook of a robot. Rejects as `Ask`. @see manual/delivery-dingtalk.md */
export const connect: Connect<WebhookSettings> = ({webhooks, maxParts}, world) => {
	const ask = createAsk(world, {
		platform: 'dingtalk',
		secrets: secretsOfWebhooks(webhooks),
		refusalIs: 'platform_rejected',
		judge,
	});

	return apiSender(ask, {
		split: splitAs(
			{...dingtalk, measure: written => utf8Bytes(JSON.stringify(written))},
			maxBytes,
			maxParts,
		),
		send({text, route, job}, {chat}) {
			const title = escapeLine(job?.name ?? route, maxTitleLength);
			return {
				url: signed(webhooks.get(chat) ?? {url: ''}, world.clock.now()),
				json: {msgtype: 'markdown', markdown: {title, text}, at: {isAtAll: false}},
			};
		},
	});
};

/** The URL of a webhook, with a current signature if it needs one. */
function signed({url, secret}: Webhook, now: number): string {
	if (secret === undefined) {
		return url;
	}

	const address = new URL(url);
	const sign = createHmac('sha256', secret).update(`${now}\n${secret}`).digest('base64');
	address.searchParams.set('timestamp', String(now));
	address.searchParams.set('sign', sign);
	return address.href;
}

const judge = judgeByErrcode({
	waitMs: blockedMs,
	// The robot sent too much, or is blocked for that.
	limited: [130_101, 410_100],
	// No such robot, or it is switched off; a missing keyword; a wrong signature or IP address; forbidden words; too long.
	rejected: [300_005, 310_000, 400_101, 400_102, 430_104, 460_101],
});

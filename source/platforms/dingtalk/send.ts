import {createHmac} from 'node:crypto';
import {escapeLine} from '../../core/untrusted.ts';
import {createAsk, type Judged, type Judgement} from '../ask.ts';
import type {Place} from '../platform.ts';
import {secretsOfWebhooks, type Webhook} from '../settings.ts';
import type {SenderModule} from '../target-kind.ts';
import {dingtalk} from '../text/dialects.ts';
import {utf8Bytes} from '../text/elements.ts';
import {splitAs} from '../text/messages.ts';
import type {DingtalkSettings} from './descriptor.ts';

/** Bytes of the text in the body, of which DingTalk takes 20,000. */
const maxBytes = 19_000;

const maxTitleLength = 100;

/** A robot that sent too much is blocked so long, and not told. */
const blockedMs = 600_000;

/** Posts Markdown to the webhook of a robot. Rejects as `Ask`. @see manual/delivery-dingtalk.md */
export const connect: SenderModule<DingtalkSettings, Place>['connect'] = (
	{webhooks, maxParts},
	world,
) => {
	const ask = createAsk(world, {
		platform: 'dingtalk',
		secrets: secretsOfWebhooks(webhooks),
		refusalIs: 'platform_rejected',
		judge,
	});

	return {
		split: splitAs(
			{...dingtalk, measure: written => utf8Bytes(JSON.stringify(written))},
			maxBytes,
			maxParts,
		),
		async send({text, route, job}, {chat}, limits) {
			const title = escapeLine(job?.name ?? route, maxTitleLength);
			await ask(
				{
					url: signed(webhooks.get(chat) ?? {url: ''}, world.clock.now()),
					json: {msgtype: 'markdown', markdown: {title, text}, at: {isAtAll: false}},
				},
				limits,
			);
			return {place: `dingtalk ${chat}`};
		},
	};
};

/** The address of a webhook with the signature of this moment, where it wants one. */
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

/** Sent too much, and blocked for that. */
const limited: ReadonlySet<unknown> = new Set([130_101, 410_100]);

/**
 * No such robot, or it is switched off; a keyword is missing, the signature or our address is wrong; words that may not be said; too long. They are about this webhook or this text: others go
 * on.
 */
const rejected: ReadonlySet<unknown> = new Set([
	300_005, 310_000, 400_101, 400_102, 430_104, 460_101,
]);

function judge({json: {errcode}, status}: Judged): Judgement {
	if (errcode === 0) {
		return true;
	}

	if (status === 429 || limited.has(errcode)) {
		return {code: 'platform_rate_limited', retryAfterMs: blockedMs};
	}

	return rejected.has(errcode) ? 'platform_rejected' : undefined;
}

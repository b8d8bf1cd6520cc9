import {apiSender} from '../api-sender.ts';
import {
	createAsk,
	idAt,
	limited,
	memberAt,
	nameAt,
	type PlatformCall,
	type Judged,
	type Judgement,
} from '../ask.ts';
import type {Connect} from '../platform.ts';
import {plainText} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import {twilioBasic, type SmsSettings} from './descriptor.ts';

/** Maximum length, UTF-16 units; Twilio sends up to ten SMS for it. */
const maxLength = 1600;

/** Fewer parts than on other platforms: Twilio sends each part as up to ten SMS, and each SMS costs money. */
const usualParts = 10;

/** Sends messages. Rejects as `Ask`. @see manual/delivery-sms.md */
export const connect: Connect<SmsSettings> = (settings, world) => {
	const {accountSid, authToken, apiSecret, apiBase, messagingServiceSid} = settings;
	const {from = '', maxParts = usualParts} = settings;
	const ask = createAsk(world, {
		platform: 'sms',
		base: `${apiBase}/2010-04-01/Accounts/${accountSid}`,
		headers: {authorization: `Basic ${twilioBasic(settings)}`},
		secrets: [authToken ?? '', apiSecret ?? ''],
		judge,
	});
	const sender =
		messagingServiceSid === undefined ? {From: from} : {MessagingServiceSid: messagingServiceSid};

	return apiSender(ask, {
		split: splitAs(plainText, maxLength, maxParts),
		account: {path: '.json', name: me => nameAt(me, 'friendly_name') ?? accountSid},
		send: ({text}, {chat}) => ({path: '/Messages.json', form: {To: chat, ...sender, Body: text}}),
		sentId: sent => idAt(sent, 'sid'),
	});
};

/** How long to wait without a `Retry-After`, milliseconds. */
const busyMs = 10_000;

/** How long to wait when the sending number's queue is full, milliseconds: it holds ten hours of messages. */
const queueFullMs = 600_000;

/** Wrong credentials; an account that is not active; no such account. */
const refused: ReadonlySet<unknown> = new Set([20_003, 20_005, 20_404]);

/** @see https://www.twilio.com/docs/api/errors */
function judge({json, status, header}: Judged, {method}: PlatformCall): Judgement {
	if (method === 'GET' && status === 200 && json['status'] !== undefined) {
		return json['status'] === 'active' ? true : 'platform_unauthorized';
	}

	if (method !== 'GET' && status === 201 && typeof json['sid'] === 'string') {
		return true;
	}

	const code = memberAt(json, 'code');
	if (code === 21_611) {
		return limited(queueFullMs);
	}

	if (status === 429 || code === 20_429) {
		return limited(header('retry-after') === undefined ? busyMs : undefined);
	}

	return refused.has(code) && 'platform_unauthorized';
}

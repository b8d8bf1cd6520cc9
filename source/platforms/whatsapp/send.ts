import {apiSender} from '../api-sender.ts';
import {
	createAsk,
	idAt,
	limited,
	memberAt,
	nameAt,
	textAt,
	type PlatformCall,
	type Judged,
	type Judgement,
} from '../ask.ts';
import type {Connect} from '../platform.ts';
import {whatsapp} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import type {WhatsappSettings} from './descriptor.ts';

/** Maximum length, UTF-16 units. */
const maxLength = 4096;

/** Sends texts. Rejects as `Ask`. @see manual/delivery-whatsapp.md */
export const connect: Connect<WhatsappSettings> = (
	{accessToken, phoneNumberId, apiVersion, apiBase, maxParts},
	world,
) => {
	const ask = createAsk(world, {
		platform: 'whatsapp',
		base: `${apiBase}/${apiVersion}/${phoneNumberId}`,
		headers: {authorization: `Bearer ${accessToken}`},
		judge,
	});

	return apiSender(ask, {
		split: splitAs(whatsapp, maxLength, maxParts),
		account: {
			path: '?fields=verified_name',
			name: number => nameAt(number, 'verified_name') ?? phoneNumberId,
		},
		send: ({text}, {chat, replyTo}) => ({
			path: '/messages',
			json: {
				messaging_product: 'whatsapp',
				recipient_type: 'individual',
				to: chat,
				...(replyTo !== undefined && {context: {message_id: replyTo}}),
				type: 'text',
				text: {body: text, preview_url: false},
			},
		}),
		sentId: sent => idAt(sent, 'messages', '0', 'id'),
	});
};

/** How long to wait after a rate limit of the account, and of one person, milliseconds: WhatsApp does not say. */
const busyMs = 60_000;
const busyPersonMs = 6000;

const busy: ReadonlyMap<unknown, number> = new Map([
	[4, busyMs],
	[80_007, busyMs],
	[130_429, busyMs],
	[131_048, busyMs],
	[131_056, busyPersonMs],
]);

/** Error codes (besides 200 to 299) for a refused token, or a missing permission of the app, the account or the number. */
const refused: ReadonlySet<number> = new Set([0, 3, 10, 190, 368, 131_031]);

/** Judges by error codes, whatever the status. @see https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
function judge({json, status}: Judged, {method}: PlatformCall): Judgement {
	const id = method === 'GET' ? textAt(json, 'id') : textAt(json, 'messages', '0', 'id');
	if (status < 300 && id !== '') {
		return true;
	}

	const code = memberAt(json, 'error', 'code');
	const waitMs = busy.get(code) ?? (status === 429 ? busyMs : undefined);
	const isRefused = typeof code === 'number' && ((code >= 200 && code < 300) || refused.has(code));
	return waitMs === undefined ? isRefused && 'platform_unauthorized' : limited(waitMs);
}

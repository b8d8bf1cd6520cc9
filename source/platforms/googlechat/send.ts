import {sign} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {codeOf} from '../../core/errors.ts';
import {apiSender} from '../api-sender.ts';
import {createAppAsk} from '../app-ask.ts';
import {createAsk, idAt, limited, webhookOr, type PlatformCall, type Judged} from '../ask.ts';
import {platformFailure} from '../delivery-error.ts';
import type {Connect} from '../platform.ts';
import type {SenderWorld} from '../target-kind.ts';
import {googlechat} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import {accountKey, type GooglechatSettings} from './descriptor.ts';

/** Maximum size of the text, bytes: a message may have 32,000 including everything else. */
const maxBytes = 30_000;

/** How long to wait after a rate limit, milliseconds: Google does not say; its limits are per minute. */
const waitMs = 10_000;

const markupSyntax = 'MARKUP_SYNTAX_MARKDOWN';

/** Sends messages with `spaces.messages.create` and edits them with `patch`. Rejects as `Ask`. @see manual/delivery-googlechat.md */
export const connect: Connect<GooglechatSettings> = (
	{apiBase, homeChannel, webhooks, serviceAccount, maxParts},
	world,
) => {
	const platform = 'googlechat';
	const askHook = createAsk(world, {platform, refusalIs: 'platform_rejected', judge});
	const {ask: askAsApp, logIn} = createAppAsk(world, {
		platform,
		base: `${apiBase}/v1/`,
		judge,
		login:
			serviceAccount === undefined
				? undefined
				: {
						request: async () => loginOf(serviceAccount, world),
						token: 'access_token',
						seconds: 'expires_in',
					},
		lacks: 'a space needs platforms.googlechat.service_account',
		isRefused: ({status}) => status === 401,
	});

	return apiSender(webhookOr(askHook, askAsApp), {
		split: splitAs(googlechat, maxBytes, maxParts),
		...(serviceAccount && {
			async check(limits) {
				await logIn(limits);
				if (homeChannel?.startsWith('spaces/')) {
					await askAsApp({method: 'GET', path: homeChannel}, limits);
				}

				return typeof serviceAccount === 'string' ? serviceAccount : serviceAccount.client_email;
			},
		}),
		send({text}, {chat, thread}, {key}) {
			const query = new URLSearchParams({
				requestId: key,
				messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
			}).toString();
			const json = {
				text,
				markupSyntax,
				...(thread !== undefined && {
					thread: {[thread.startsWith('spaces/') ? 'name' : 'threadKey']: thread},
				}),
			};
			const url = webhooks?.get(chat)?.url;
			return url === undefined
				? {path: `${chat}/messages?${query}`, json}
				: {url: `${url}${url.includes('?') ? '&' : '?'}${query}`, json};
		},
		sentId: sent => idAt(sent, 'name'),
		edit: ({text}, _, id) => ({
			method: 'PATCH',
			path: `${id.split('/').map(encodeURIComponent).join('/')}?updateMask=text`,
			json: {text, markupSyntax},
		}),
	});
};

const judge = ({json, status}: Judged) =>
	typeof json['name'] === 'string' || (status === 429 && limited(waitMs));

/**
 * The request for an access token of a service account.
 *
 * @see RFC 7523 §2.1, https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 * @throws DeliveryError `platform_unauthorized` for an unusable key; the message does not quote it
 */
async function loginOf(
	account: NonNullable<GooglechatSettings['serviceAccount']>,
	{clock, hide}: Pick<SenderWorld, 'clock' | 'hide'>,
): Promise<PlatformCall> {
	try {
		const key = accountKey.parse(
			typeof account === 'string' ? JSON.parse(await readFile(account, 'utf8')) : account,
		);
		if (typeof account === 'string') {
			hide(key.private_key);
		}

		const url = key.token_uri ?? 'https://oauth2.googleapis.com/token';
		const seconds = Math.floor(clock.now() / 1000);
		const claims = {
			iss: key.client_email,
			scope: 'https://www.googleapis.com/auth/chat.bot',
			aud: url,
			iat: seconds,
			exp: seconds + 3600,
		};
		const signed = [{alg: 'RS256', typ: 'JWT'}, claims]
			.map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
			.join('.');
		const signature = sign('RSA-SHA256', Buffer.from(signed), key.private_key);
		const form = {
			grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
			assertion: `${signed}.${signature.toString('base64url')}`,
		};
		return {url, form, sendsNothing: true};
	} catch (error) {
		const where = typeof account === 'string' ? `"${account}" of ` : '';
		throw platformFailure(
			'platform_unauthorized',
			`Cannot send to googlechat: ${where}service_account is no key of a service account that can be read (${codeOf(error)})`,
		);
	}
}

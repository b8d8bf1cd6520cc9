import {sign} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {codeOf} from '../../core/errors.ts';
import {createAsk, idAt, keepToken, type ApiRequest, type Ask, type Judged} from '../ask.ts';
import {DeliveryError} from '../delivery-error.ts';
import type {Place} from '../platform.ts';
import {platformFailures} from '../post.ts';
import type {SenderModule, SenderWorld} from '../target-kind.ts';
import {googlechat} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import {accountKey, type GooglechatSettings} from './descriptor.ts';

/** Bytes of the text: a message has 32,000, with all that stands beside it. */
const maxBytes = 30_000;

/** Google does not say how long to wait; its bound is about a minute. */
const waitMs = 10_000;

const markupSyntax = 'MARKUP_SYNTAX_MARKDOWN';

/** `spaces.messages.create` and `patch`. Rejects as `Ask`. @see manual/delivery-googlechat.md */
export const connect: SenderModule<GooglechatSettings, Place>['connect'] = (
	{apiBase, homeChannel, webhooks, serviceAccount, maxParts},
	world,
) => {
	const platform = 'googlechat';
	const token = serviceAccount && tokenOf(serviceAccount, world);
	const askHook = createAsk(world, {platform, refusalIs: 'platform_rejected', judge});
	const askWithToken = createAsk(world, {
		platform,
		base: `${apiBase}/v1/`,
		judge,
		again: async ({status}, request, limits) =>
			status === 401 && token
				? {...request, headers: bearer(await token(limits, true))}
				: undefined,
	});

	const askAsApp = async (request: ApiRequest, limits: Parameters<Ask>[1]) => {
		if (!token) {
			throw new DeliveryError(
				'target_invalid',
				'Cannot send to googlechat: a space needs platforms.googlechat.service_account',
			);
		}

		return askWithToken({...request, headers: bearer(await token(limits))}, limits);
	};

	return {
		split: splitAs(googlechat, maxBytes, maxParts),
		...(token && {
			async check(limits) {
				await token(limits);
				if (homeChannel?.startsWith('spaces/')) {
					await askAsApp({method: 'GET', path: homeChannel}, limits);
				}

				return typeof serviceAccount === 'string' ? serviceAccount : serviceAccount.client_email;
			},
		}),
		async send({text}, {chat, thread}, {key, ...limits}) {
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
			const hook = webhooks?.get(chat);
			const sent = hook
				? await askHook(
						{url: `${hook.url}${hook.url.includes('?') ? '&' : '?'}${query}`, json},
						limits,
					)
				: await askAsApp({path: `${chat}/messages?${query}`, json}, limits);
			return {place: `googlechat ${chat}`, id: idAt(sent, 'name')};
		},
		async edit({text}, {chat}, {id, ...limits}) {
			await askAsApp(
				{
					method: 'PATCH',
					path: `${id.split('/').map(encodeURIComponent).join('/')}?updateMask=text`,
					json: {text, markupSyntax},
					isEdit: true,
				},
				limits,
			);
			return {place: `googlechat ${chat}`, id};
		},
	};
};

const judge = ({json, status}: Judged) =>
	typeof json['name'] === 'string'
		? true
		: status === 429
			? ({code: 'platform_rate_limited', retryAfterMs: waitMs} as const)
			: undefined;

const bearer = (token: string) => ({authorization: `Bearer ${token}`});

/** Access tokens of a service account. @see RFC 7523 §2.1, https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
function tokenOf(
	account: NonNullable<GooglechatSettings['serviceAccount']>,
	world: Pick<SenderWorld, 'clock' | 'hide' | 'post'>,
) {
	const ask = createAsk(world, {
		platform: 'googlechat',
		refusalIs: 'platform_unauthorized',
		judge: ({json}) => (typeof json['access_token'] === 'string' ? true : undefined),
	});
	return keepToken(world, async limits => {
		const {url, assertion} = await assertionOf(account, world);
		const form = {grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion};
		const {access_token: token, expires_in: seconds} = await ask(
			{url, form, sendsNothing: true},
			limits,
		);
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was judged
		return {token: token as string, lifeMs: Number(seconds ?? 0) * 1000};
	});
}

/** What asks for a token, and where. @throws DeliveryError `platform_unauthorized` for a key that cannot be used; of its text nothing is said */
async function assertionOf(
	account: NonNullable<GooglechatSettings['serviceAccount']>,
	{clock, hide}: Pick<SenderWorld, 'clock' | 'hide'>,
) {
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
		return {url, assertion: `${signed}.${signature.toString('base64url')}`};
	} catch (error) {
		const where = typeof account === 'string' ? `"${account}" of ` : '';
		throw new DeliveryError(
			'platform_unauthorized',
			`Cannot send to googlechat: ${where}service_account is no key of a service account that can be read (${codeOf(error)})`,
			platformFailures.platform_unauthorized,
		);
	}
}

import {createHmac} from 'node:crypto';
import type {JsonObject} from '../../core/json.ts';
import {apiSender} from '../api-sender.ts';
import {createAppAsk} from '../app-ask.ts';
import {createAsk, idAt, limited, nameAt, webhookOr, type Judged, type Judgement} from '../ask.ts';
import type {Connect} from '../platform.ts';
import {secretsOfWebhooks, type Webhook} from '../settings.ts';
import type {SenderWorld} from '../target-kind.ts';
import {feishu} from '../text/dialects.ts';
import {utf8Bytes} from '../text/elements.ts';
import {splitAs} from '../text/messages.ts';
import {chatOfApp, type FeishuSettings} from './descriptor.ts';

const platform = 'feishu';

/** Maximum size of the whole request, bytes, a fifth less than Feishu accepts (30 KB, and 20 KB for a webhook): it counts the text again, with styles. */
const maxBytes = {app: 24_000, hook: 16_000};

/** Size of a request besides its content, bytes: identifiers, the signature. */
const envelopeBytes = 500;

/** Sends and edits posts. Rejects as `Ask`. @see manual/delivery-feishu.md */
export const connect: Connect<FeishuSettings> = (
	{apiBase, appId, appSecret, webhooks, maxParts},
	world,
) => {
	// Only the app has threads and idempotency keys: its chats are never webhooks.
	const hookOf = (chat: string) => (chatOfApp.test(chat) ? undefined : webhooks?.get(chat));
	const hasApp = appId !== undefined && appSecret !== undefined;
	const {ask: askAsApp} = createAppAsk(world, {
		platform,
		base: `${apiBase}/open-apis`,
		secrets: [appSecret ?? ''],
		judge,
		login: hasApp
			? {
					request: async () => ({
						path: '/auth/v3/tenant_access_token/internal',
						json: {app_id: appId, app_secret: appSecret},
						sendsNothing: true,
					}),
					token: 'tenant_access_token',
					seconds: 'expire',
				}
			: undefined,
		lacks: 'a chat needs platforms.feishu.app_id and app_secret',
		isRefused: ({json}) => tokenRefused.has(json['code']),
	});
	const askHook = createAsk(world, {
		platform,
		secrets: secretsOfWebhooks(webhooks),
		refusalIs: 'platform_rejected',
		judge,
	});

	const splitOf = (bodyOf: (text: string) => unknown, limit: number) =>
		splitAs(
			{...feishu, measure: text => envelopeBytes + utf8Bytes(JSON.stringify(bodyOf(text)))},
			limit,
			maxParts,
		);
	const split = splitOf(contentOf, maxBytes.app);
	const splitForHook = splitOf(postOf, maxBytes.hook);

	return apiSender(webhookOr(askHook, askAsApp), {
		split: (text, place, most) => (hookOf(place.chat) ? splitForHook : split)(text, place, most),
		...(hasApp && {
			account: {path: '/bot/v3/info', name: info => nameAt(info, 'bot', 'app_name') ?? '?'},
		}),
		send({text}, {chat, thread, replyTo}, {key}) {
			const hook = hookOf(chat);
			if (hook) {
				const content = {post: postOf(text)};
				return {url: hook.url, json: {...signatureOf(hook, world), msg_type: 'post', content}};
			}

			const answered = thread ?? replyTo;
			const json = {msg_type: 'post', content: contentOf(text), uuid: key};
			return answered === undefined
				? {
						path: `/im/v1/messages?receive_id_type=${idTypes[chat.slice(0, 2)]}`,
						json: {receive_id: chat, ...json},
					}
				: {
						path: `/im/v1/messages/${answered}/reply`,
						json: {...json, reply_in_thread: thread !== undefined},
					};
		},
		sentId: sent => idAt(sent, 'data', 'message_id'),
		edit: ({text}, _, id) => ({
			method: 'PUT',
			path: `/im/v1/messages/${encodeURIComponent(id)}`,
			json: {msg_type: 'post', content: contentOf(text)},
		}),
	});
};

const idTypes: Readonly<Record<string, string>> = {oc: 'chat_id', ou: 'open_id', on: 'union_id'};

/** A post with a Markdown text as its only element. `zh_cn` is only a name: clients in other languages show it, too. */
const postOf = (text: string) => ({zh_cn: {title: '', content: [[{tag: 'md', text}]]}});

/** The API expects the content as a JSON text. */
const contentOf = (text: string): string => JSON.stringify(postOf(text));

/** The signature of a webhook's request: an HMAC of an empty text, with timestamp and secret as the key. */
function signatureOf({secret}: Webhook, {clock}: Pick<SenderWorld, 'clock'>): JsonObject {
	if (secret === undefined) {
		return {};
	}

	const timestamp = String(Math.floor(clock.now() / 1000));
	return {timestamp, sign: createHmac('sha256', `${timestamp}\n${secret}`).digest('base64')};
}

/** Error codes for a wrong or expired token, which is replaced. */
const tokenRefused: ReadonlySet<unknown> = new Set([99_991_661, 99_991_663, 99_991_671]);

/** The app lacks a permission. */
const notPermitted = 99_991_672;

/** How long to wait after a rate limit (of the API, a chat, or a webhook), by error code, milliseconds: Feishu does not say it. */
const busy: ReadonlyMap<unknown, number> = new Map([
	[99_991_400, 5000],
	[230_020, 5000],
	[11_232, 60_000],
]);

/** Judges by the code in the body, whatever the status. @see https://open.feishu.cn/document/server-docs/api-call-guide/generic-error-code */
function judge({json, status, header}: Judged): Judgement {
	const {code} = json;
	if (code === 0) {
		return true;
	}

	const waitMs = busy.get(code) ?? (status === 429 ? 5000 : undefined);
	if (waitMs !== undefined) {
		const told = Number(header('x-ogw-ratelimit-reset') ?? Number.NaN);
		return limited(Number.isNaN(told) ? waitMs : told * 1000);
	}

	return tokenRefused.has(code) || code === notPermitted
		? 'platform_unauthorized'
		: typeof code === 'number' && status < 500 && 'platform_rejected';
}

import {nonEmptyText, setting} from '../../core/schema-parts.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {apiBase, secretText, webhooks} from '../settings.ts';

const hourMs = 3_600_000;

/** Identifiers of chats and people for the app. */
export const chatOfApp = /^(oc|ou|on)_[\w-]{1,100}$/;

const fields = {
	app_id: setting(nonEmptyText, 'The App ID: `cli_...`'),
	app_secret: secretText('The App Secret', 'FEISHU_APP_SECRET'),
	webhooks,
	api_base: apiBase('https://open.feishu.cn'),
};

export type FeishuSettings = SettingsOf<typeof fields>;

const message = {form: /^om_[\w-]{1,100}$/, says: 'the id of a message (om_...)'};

/** Feishu and Lark, by an app or webhooks. @see manual/delivery-feishu.md, https://open.feishu.cn/document/server-docs/im-v1/message/create */
export const feishu = definePlatform({
	kind: 'feishu',
	title: 'Feishu',
	fields,
	needs: [],
	lacks({appId, appSecret, webhooks: hooks}) {
		if (appId === undefined && appSecret === undefined) {
			return hooks ? undefined : '"app_id" and "app_secret", or "webhooks"';
		}

		return appId === undefined ? '"app_id"' : appSecret === undefined ? '"app_secret"' : undefined;
	},
	chat: {
		hooks: true,
		form: chatOfApp,
		says: 'a chat (oc_...) or a person (ou_..., on_...) of the app',
	},
	// Webhooks can only send. A message is answered either in its thread or outside of one.
	thread: chat => (chatOfApp.test(chat) ? message : undefined),
	reply: (chat, thread) => (chatOfApp.test(chat) && thread === undefined ? message : undefined),
	edits: 20,
	perMinute: chat => (chatOfApp.test(chat) ? 300 : 100),
	// Webhooks have no idempotency key.
	keyWindowMs: chat => (chatOfApp.test(chat) ? hourMs : 0),
	setUp: [
		'For one group: Settings, Bots, Add bot, Custom bot; copy the address of its webhook, and the secret of its signature check.',
		'Or as an app: at open.feishu.cn (open.larksuite.com for Lark) make a custom app, add the feature Bot and the permission im:message:send_as_bot, publish a version, and add the app to the chat.',
	],
	load: async () => import('./send.ts'),
});

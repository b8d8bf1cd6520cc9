import {conversing} from '../conversing.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {apiBase, secretText} from '../settings.ts';

const fields = {
	bot_token: secretText('What BotFather gave', 'TELEGRAM_BOT_TOKEN'),
	api_base: apiBase('https://api.telegram.org'),
	...conversing,
};

export type TelegramSettings = SettingsOf<typeof fields, 'botToken'>;

/** Telegram, by a bot. @see manual/delivery-telegram.md, https://core.telegram.org/bots/api */
export const telegram = definePlatform({
	kind: 'telegram',
	title: 'Telegram',
	fields,
	needs: ['botToken'],
	chat: {form: /^(?:-?\d{1,20}|@\w{3,64})$/, says: 'the number of a chat (-1001234) or @channel'},
	thread: {form: /^[1-9]\d{0,14}$/, says: 'the number of a topic'},
	reply: {form: /^[1-9]\d{0,14}$/, says: 'the number of a message'},
	edits: Infinity,
	// Groups and channels have negative numbers, or names.
	perMinute: chat => (/^\d/.test(chat) ? 60 : 20),
	setUp: [
		'Write /newbot to @BotFather in Telegram; it answers with the token of the new bot.',
		'Write to the bot, or add it to the group: it cannot begin a conversation. The number of the chat is `message.chat.id` in what `https://api.telegram.org/bot<token>/getUpdates` answers.',
	],
	load: async () => import('./send.ts'),
	listens: {
		person: {form: /^\d{1,25}$/, says: 'the number of a person (12345)'},
		chat: {form: /^-?\d+$/, says: 'the number of the chat'},
		load: async () => import('./listen.ts'),
	},
});

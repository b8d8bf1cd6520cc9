import {conversing} from '../conversing.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {apiBase, secretText} from '../settings.ts';

const fields = {
	bot_token: secretText('Token of the bot', 'DISCORD_BOT_TOKEN'),
	api_base: apiBase('https://discord.com'),
	...conversing,
};

export type DiscordSettings = SettingsOf<typeof fields, 'botToken'>;

/** Identifiers of users, channels and messages. @see https://discord.com/developers/docs/reference#snowflakes */
export const snowflake = /^\d{17,20}$/;

/** Discord, by a bot. @see manual/delivery-discord.md, https://discord.com/developers/docs/resources/message */
export const discord = definePlatform({
	kind: 'discord',
	title: 'Discord',
	fields,
	needs: ['botToken'],
	chat: {form: snowflake, says: 'the id of a channel: 17 to 20 digits'},
	thread: {form: snowflake, says: 'the id of a thread: 17 to 20 digits'},
	reply: {form: snowflake, says: 'the id of a message: 17 to 20 digits'},
	edits: Infinity,
	// Five messages in five seconds.
	perMinute: 60,
	// Discord's "the past few minutes".
	keyWindowMs: 120_000,
	setUp: [
		'Create an application at https://discord.com/developers/applications; its page "Bot" gives the token.',
		'Invite the bot to the server with the scope `bot` and the permissions View Channels, Send Messages and Send Messages in Threads.',
		'Switch on Developer Mode in the settings of Discord (Advanced): the menu of a channel then has "Copy Channel ID".',
	],
	load: async () => import('./send.ts'),
	listens: {
		person: {form: /^\d{15,20}$/, says: 'the number of a user (80351110224678912)'},
		isThreadChat: true,
		load: async () => import('./listen.ts'),
	},
});

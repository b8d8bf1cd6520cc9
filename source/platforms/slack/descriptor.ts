import {nonEmptyText, setting} from '../../core/schema-parts.ts';
import {conversing} from '../conversing.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {apiBase} from '../settings.ts';

const fields = {
	bot_token: setting(
		nonEmptyText,
		'Bot User OAuth Token (`xoxb-...`); best a reference: `${SLACK_BOT_TOKEN}`',
		{secret: true},
	),
	app_token: setting(
		nonEmptyText,
		'App-level token (`xapp-...`) with the scope `connections:write`, for `inbound`; best a reference: `${SLACK_APP_TOKEN}`',
		{secret: true},
	),
	api_base: apiBase('https://slack.com'),
	...conversing,
};

export type SlackSettings = SettingsOf<typeof fields, 'botToken'>;

/** Slack, by the bot of an app. @see manual/delivery-slack.md, https://docs.slack.dev/reference/methods/chat.postMessage */
export const slack = definePlatform({
	kind: 'slack',
	title: 'Slack',
	fields,
	needs: ['botToken'],
	chat: {
		form: /^[CDGU][A-Z0-9]{1,30}$/,
		says: 'the id of a channel (C0123456789), of a conversation or of a member',
	},
	thread: {form: /^\d{1,12}\.\d{6}$/, says: 'the `ts` of a message (1503435956.000247)'},
	edits: Infinity,
	perMinute: 60,
	setUp: [
		'Create an app at https://api.slack.com/apps and give its bot the scope `chat:write` (page "OAuth & Permissions"); install it to the workspace: the page then shows the "Bot User OAuth Token".',
		'Write `/invite @<the app>` in the channel. The id of a channel is at the end of its details.',
	],
	load: async () => import('./send.ts'),
	listens: {
		person: {form: /^[UW][A-Z0-9]{1,30}$/, says: 'the id of a member (U0123456789)'},
		fields: ['app_token'],
		lacks: ({appToken}) => (appToken === undefined ? '"app_token"' : undefined),
		chat: {form: /^[CDG]/, says: 'the id of the channel or the conversation'},
		load: async () => import('./listen.ts'),
	},
});

import {conversing} from '../conversing.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {secretText, serverAddress} from '../settings.ts';

const fields = {
	api_base: serverAddress('Address of the server, before `/api/v4`; `http:` for this machine only'),
	bot_token: secretText('Access token of the bot account', 'MATTERMOST_BOT_TOKEN'),
	...conversing,
};

export type MattermostSettings = SettingsOf<typeof fields, 'apiBase' | 'botToken'>;

const id = /^[a-z0-9]{26}$/;

/** Mattermost, by a bot account. @see manual/delivery-mattermost.md, https://developers.mattermost.com/api-documentation/ */
export const mattermost = definePlatform({
	kind: 'mattermost',
	title: 'Mattermost',
	fields,
	needs: ['apiBase', 'botToken'],
	chat: {form: id, says: 'the id of a channel: 26 small letters and digits'},
	thread: {form: id, says: 'the id of the first post of a thread: 26 small letters and digits'},
	edits: Infinity,
	perMinute: 600,
	// The server remembers idempotency keys for 30 s after their arrival: a repeated message must arrive within that time.
	keyWindowMs: 20_000,
	setUp: [
		'Create a bot account (Integrations > Bot Accounts; a system administrator has to enable bot accounts): its token is shown once.',
		'Add the bot to the team and to the channel. The id of a channel is in its "View Info".',
	],
	load: async () => import('./send.ts'),
	listens: {
		person: {form: /^[a-z0-9]{26}$/, says: 'the id of a user (26 letters and digits)'},
		load: async () => import('./listen.ts'),
	},
});

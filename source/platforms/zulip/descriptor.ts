import {nonEmptyText, setting} from '../../core/schema-parts.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {matching, secretText, serverAddress} from '../settings.ts';

/** Up to 60 code points, without control characters. */
const topic = /^\P{Cc}{1,60}$/u;

const fields = {
	api_base: serverAddress('The address of the organization: `https://acme.zulipchat.com`'),
	bot_email: setting(nonEmptyText, 'The address of the bot'),
	api_key: secretText('The API key of the bot', 'ZULIP_API_KEY'),
	topic: setting(
		matching(nonEmptyText, topic, 'one line of at most 60 characters'),
		'The topic when `deliver_extra` has no `thread_id`',
		{default: 'svc'},
	),
};

export type ZulipSettings = SettingsOf<typeof fields, 'apiBase' | 'apiKey' | 'botEmail'>;

/** `email:key` as sent with Basic authentication. */
export const zulipBasic = ({botEmail, apiKey}: Partial<ZulipSettings>): string =>
	Buffer.from(`${botEmail}:${apiKey}`).toString('base64');

/** The recipients of a direct message, by number or address; `undefined` if `chat` is a channel. */
export function peopleIn(chat: string): readonly number[] | readonly string[] | undefined {
	if (chat.startsWith('user:')) {
		return chat.slice('user:'.length).split(',').map(Number);
	}

	const addresses = chat.split(/, ?/);
	return addresses.every(address => /^[^\s@]+@[^\s@]+$/.test(address)) ? addresses : undefined;
}

/** Zulip, by a bot. @see manual/delivery-zulip.md, https://zulip.com/api/send-message */
export const zulip = definePlatform({
	kind: 'zulip',
	title: 'Zulip',
	fields,
	needs: ['apiBase', 'botEmail', 'apiKey'],
	chat: {
		form: /^(?:user:\d{1,15}(?:,\d{1,15})*|[^\s@,]+@[^\s@,]+(?:, ?[^\s@,]+@[^\s@,]+)*|(?!user:)\P{Cc}{1,60})$/u,
		says: 'the name or the number of a channel, or of people: user:9,10 or their addresses',
	},
	// Direct messages have no topics.
	thread: chat =>
		peopleIn(chat) ? undefined : {form: topic, says: 'a topic: one line of at most 60 characters'},
	edits: Infinity,
	perMinute: 200,
	secrets: settings => [zulipBasic(settings)],
	setUp: [
		'In Zulip, Personal settings, Bots: add a bot of the type Generic bot. Its address and its API key are shown there.',
		'Add the bot to the channel as a subscriber when the channel is private.',
	],
	load: async () => import('./send.ts'),
});

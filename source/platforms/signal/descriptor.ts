import {z} from 'zod';
import {headerText, settableHeaderName, setting} from '../../core/schema-parts.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {apiBase, phoneNumber} from '../settings.ts';

const fields = {
	number: setting(
		phoneNumber,
		'The number of the account in the daemon, in quotes: `"+491701234567"`',
		{to: String},
	),
	headers: setting(
		z.record(settableHeaderName, headerText),
		'Headers of each request, for a proxy before the daemon: `{Authorization: ${SIGNAL_PROXY}}`',
		{secret: true},
	),
	api_base: apiBase('http://127.0.0.1:8080'),
};

export type SignalSettings = SettingsOf<typeof fields, 'number'>;

/** Signal, by a daemon (signal-cli-rest-api). @see manual/delivery-signal.md, https://bbernhard.github.io/signal-cli-rest-api */
export const signal = definePlatform({
	kind: 'signal',
	title: 'Signal',
	fields,
	needs: ['number'],
	chat: {
		form: /^(?:\+[1-9]\d{6,14}|group\.[\w+/-]{20,200}={0,2}|[a-z_]\w{2,31}\.\d{2,10})$/i,
		says: 'a phone number in quotes ("+491701234567"), a group (group.…) or a user name (alice.01)',
	},
	reply: {
		form: /^[1-9]\d{12,14}\/\+[1-9]\d{6,14}$/,
		says: 'the time stamp of a message and the number of its author (1700000000000/+491701234567)',
	},
	perMinute: 60,
	secrets: ({headers = {}}) =>
		Object.values(headers).flatMap(value => [value, value.split(' ').at(-1) ?? '']),
	setUp: [
		'Run signal-cli-rest-api on this machine (MODE=json-rpc, port 8080), and link it to an account or register a number there.',
		'The daemon lets everybody send who reaches it: leave it on 127.0.0.1, or put a proxy with a password before it.',
		'`curl http://127.0.0.1:8080/v1/groups/+491701234567` lists the groups with their identifiers.',
	],
	load: async () => import('./send.ts'),
});

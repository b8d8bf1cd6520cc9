import {z} from 'zod';
import {flag, nonEmptyText, setting, wholeNumber} from '../../core/schema-parts.ts';
import {defineSettings, group} from '../../core/settings.ts';
import {conversing} from '../conversing.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {matching} from '../settings.ts';
import {recipientsOf} from './recipients.ts';

const submissionPort = 587;
const securePort = 465;

const address = matching(nonEmptyText, /^[^\r\n]*[^\s@]@[^\s@][^\r\n]*$/, 'an e-mail address');

const smtp = defineSettings({
	host: setting(nonEmptyText, 'Name of the mail server'),
	port: setting(wholeNumber(1, 65_535), 'Its port; 465 when secure', {default: submissionPort}),
	secure: flag(
		false,
		'`true`: TLS from the first byte, as by default with port 465; `false`: STARTTLS if the server offers it',
	),
	username: setting(z.string(), 'User name of the login, if the server needs one'),
	password: setting(z.string(), 'Password; best a reference: ${SMTP_PASSWORD}', {secret: true}),
});

const imapsPort = 993;
const imapPort = 143;

const imap = defineSettings({
	host: setting(nonEmptyText, 'Name of the IMAP server, for `inbound`'),
	port: setting(wholeNumber(1, 65_535), 'Its port; 143 when not secure', {default: imapsPort}),
	secure: flag(
		true,
		'`true`: TLS from the first byte; `false`: STARTTLS, which is optional only for a server on this machine',
	),
	username: setting(nonEmptyText, 'User name of the login'),
	password: setting(nonEmptyText, 'Password; best a reference: ${IMAP_PASSWORD}', {secret: true}),
	mailbox: setting(nonEmptyText, 'The folder that is read; nothing in it is changed', {
		default: 'INBOX',
	}),
});

const fields = {
	from: setting(address, 'Sender'),
	home_channel: setting(address, 'The chat if `deliver_extra` has no `chat_id`'),
	// The defaults of port and TLS depend on each other.
	smtp: group(
		{
			...smtp,
			read(written) {
				const secure = written?.secure ?? written?.port === securePort;
				const port = written?.port ?? (secure ? securePort : submissionPort);
				return {...smtp.read(written), port, secure};
			},
		},
		'The mail server',
	),
	imap: group(
		{
			...imap,
			read(written) {
				const secure = written?.secure ?? written?.port !== imapPort;
				const port = written?.port ?? (secure ? imapsPort : imapPort);
				return {...imap.read(written), port, secure};
			},
		},
		'Where mails of people come in',
	),
	authserv_id: setting(
		nonEmptyText,
		"First word of your mail server's `Authentication-Results`; `inbound` needs it",
	),
	approvals: flag(false, 'Whether mails may answer requests for approval'),
	...conversing,
};

export type EmailSettings = SettingsOf<typeof fields, 'from'>;

/** The `Message-ID` of a mail, with its angle brackets or without them. @see RFC 5322 §3.6.4 */
const messageId = {
	form: /^(?:<[!-;=?A-~]{1,250}@[!-;=?A-~]{1,250}>|[!-;=?A-~]{1,250}@[!-;=?A-~]{1,250})$/,
	says: 'the Message-ID of a mail (<id@example.org>)',
};

const platform = definePlatform({
	kind: 'email',
	title: 'E-mail',
	fields,
	needs: ['from'],
	lacks: ({smtp: {host}}) => (host === undefined ? '"smtp.host"' : undefined),
	chat: recipientsOf,
	thread: messageId,
	reply: messageId,
	perMinute: 0,
	// The encoded forms in which a login sends them, since a server may quote these.
	secrets: ({smtp: outgoing, imap: incoming}) =>
		[outgoing, incoming].flatMap(({username = '', password}) =>
			password === undefined
				? []
				: [`\0${username}\0${password}`, password].map(text =>
						Buffer.from(text).toString('base64'),
					),
		),
	setUp: [
		"Ask your mail provider for the server that takes mail from programs (its SMTP server), and for a login: many want a password of the program's own.",
	],
	load: async () => import('./send.ts'),
	listens: {
		person: {form: /^[^\s<>,;@]+@[^\s<>,;@]+$/, says: 'an address (ann@example.org)'},
		fields: ['imap', 'authserv_id'],
		lacks({imap: incoming}) {
			const keys = ['host', 'username', 'password'] as const;
			const missing = keys.filter(key => incoming[key] === undefined);
			return missing.map(key => `"imap.${key}"`).join(', ') || undefined;
		},
		chat: {form: /^[^\sA-Z<>,;]+$/, says: 'one address, in small letters'},
		load: async () => import('./listen.ts'),
	},
});

const lowerCased = (people: readonly string[]) => people.map(one => one.toLowerCase());

/** Mail. Any sender can be forged: without the name of the server that verifies senders, no mail is accepted. @see manual/delivery-email.md */
export const email = {
	...platform,
	settings: platform.settings
		.superRefine((value, context) => {
			if (value?.inbound && value.authservId === undefined) {
				context.addIssue({
					code: 'custom',
					path: ['inbound'],
					message:
						'needs "authserv_id", the name with which your mail server begins its Authentication-Results: without it anybody could write as anybody',
				});
			}
		})
		.transform(
			value =>
				value && {
					...value,
					allowFrom: lowerCased(value.allowFrom),
					...(value.approvers && {approvers: lowerCased(value.approvers)}),
				},
		)
		.meta({description: 'Delivery to E-mail'}),
};

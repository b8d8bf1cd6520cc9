import {z} from 'zod';
import {checked, nonEmptyText, setting, wholeNumber} from '../../core/schema-parts.ts';
import {defineSettings, group} from '../../core/settings.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {recipientsOf} from './recipients.ts';

const submissionPort = 587;
const securePort = 465;

const address = checked(nonEmptyText, value =>
	/^[^\r\n]*[^\s@]@[^\s@][^\r\n]*$/.test(value) ? undefined : 'must be an e-mail address',
);

const smtp = defineSettings({
	host: setting(nonEmptyText, {description: 'Name of the mail server'}),
	port: setting(wholeNumber(1, 65_535), {
		description: 'Its port; 465 when secure',
		default: submissionPort,
	}),
	secure: setting(z.boolean(), {
		description: 'TLS from the first byte; else STARTTLS where it is offered; true for port 465',
		default: false,
	}),
	username: setting(z.string(), {description: 'Login, if it needs one'}),
	password: setting(z.string(), {description: 'Best a reference: ${SMTP_PASSWORD}', secret: true}),
});

const fields = {
	from: setting(address, {description: 'Sender'}),
	home_channel: setting(address, {description: 'Recipient when a route names none'}),
	smtp: group(
		{
			...smtp,
			// The port and TLS follow from each other.
			read(written) {
				const secure = written?.secure ?? written?.port === securePort;
				const port = written?.port ?? (secure ? securePort : submissionPort);
				return {...smtp.read(written), port, secure};
			},
		},
		{description: 'The mail server'},
	),
};

export type EmailSettings = SettingsOf<typeof fields, 'from'>;

/** What the `Message-ID` of a mail holds, with its angle brackets or without them. @see RFC 5322 §3.6.4 */
const messageId = {
	form: /^(?:<[!-;=?A-~]{1,250}@[!-;=?A-~]{1,250}>|[!-;=?A-~]{1,250}@[!-;=?A-~]{1,250})$/,
	says: 'the Message-ID of a mail (<id@example.org>)',
};

/** Mail. @see manual/delivery-email.md */
export const email = definePlatform({
	kind: 'email',
	title: 'E-mail',
	fields,
	needs: ['from'],
	lacks: ({smtp: {host}}) => (host === undefined ? '"smtp.host"' : undefined),
	chat: recipientsOf,
	thread: messageId,
	reply: messageId,
	perMinute: 0,
	// What a login sends, which a server may quote.
	secrets: ({smtp: {username = '', password}}) =>
		password === undefined
			? []
			: [`\0${username}\0${password}`, password].map(text => Buffer.from(text).toString('base64')),
	setUp: [
		"Ask your mail provider for the server that takes mail from programs (its SMTP server), and for a login: many want a password of the program's own.",
	],
	load: async () => import('./send.ts'),
});

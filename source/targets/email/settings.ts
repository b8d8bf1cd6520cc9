import {z} from 'zod';
import {checked, setting, nonEmptyText, wholeNumber} from '../../core/schema-parts.ts';

/** What `platforms.email` says. */
export type EmailSettings = {
	readonly enabled: boolean;
	readonly from: string;
	/** Address that gets a message when the route names none. */
	readonly homeChannel?: string;
	readonly smtp: {
		readonly host: string;
		readonly port: number;
		readonly secure: boolean;
		readonly username?: string;
		readonly password?: string;
	};
};

const submissionPort = 587;
const securePort = 465;

const address = checked(nonEmptyText, value =>
	/^[^\r\n]*[^\s@]@[^\s@][^\r\n]*$/.test(value) ? undefined : 'must be an e-mail address',
);

const smtpSchema = z.object({
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
	password: setting(z.string(), {description: 'Best a reference: ${SMTP_PASSWORD}'}),
});

const writtenSchema = z.object({
	enabled: setting(z.boolean(), {description: 'Whether mail is sent', default: false}),
	from: setting(address, {description: 'Sender'}),
	home_channel: setting(address, {description: 'Recipient when a route names none'}),
	smtp: setting(smtpSchema, {description: 'The mail server'}),
});

/** `platforms.email`; `undefined` when it is absent, or off and incomplete. @see manual/delivery-email.md */
export const emailSettings = writtenSchema
	.nullish()
	.transform((email, context): EmailSettings | undefined => {
		const host = email?.smtp?.host;
		if (email?.from && host) {
			return complete(email, {from: email.from, host});
		}

		if (email?.enabled) {
			const missing = email.from ? 'smtp.host' : 'from';
			context.addIssue({
				code: 'custom',
				message: `is enabled and needs "${missing}"`,
				input: undefined,
			});
		}

		return undefined;
	})
	.meta({description: 'Delivery by e-mail'});

function complete(
	email: z.output<typeof writtenSchema>,
	{from, host}: {readonly from: string; readonly host: string},
): EmailSettings {
	const {port, secure, username, password} = email.smtp ?? {};
	const isSecure = secure ?? port === securePort;
	return {
		enabled: email.enabled ?? false,
		from,
		...(email.home_channel && {homeChannel: email.home_channel}),
		smtp: {
			host,
			port: port ?? (isSecure ? securePort : submissionPort),
			secure: isSecure,
			...(username && {username}),
			...(password && {password}),
		},
	};
}

import {z} from 'zod';
import {checked, setting, nonEmptyText, wholeNumber} from '../../core/schema-parts.ts';
import {defineSettings, group, type ValueOf} from '../../core/settings.ts';

const submissionPort = 587;
const securePort = 465;

const address = checked(nonEmptyText, value =>
	/^[^\r\n]*[^\s@]@[^\s@][^\r\n]*$/.test(value) ? undefined : 'must be an e-mail address',
);

const smtpSettings = defineSettings({
	host: setting(nonEmptyText, {description: 'Name of the mail server'}),
	port: setting(wholeNumber(1, 65_535), {
		description: 'Its port; 465 when secure',
		default: submissionPort,
		at: ['port'],
	}),
	secure: setting(z.boolean(), {
		description: 'TLS from the first byte; else STARTTLS where it is offered; true for port 465',
		default: false,
		at: ['secure'],
	}),
	username: setting(z.string(), {description: 'Login, if it needs one'}),
	password: setting(z.string(), {description: 'Best a reference: ${SMTP_PASSWORD}', secret: true}),
});

/** What may stand below `platforms.email`. */
export const emailDeclared = defineSettings({
	enabled: setting(z.boolean(), {description: 'Whether mail is sent', default: false}),
	from: setting(address, {description: 'Sender'}),
	home_channel: setting(address, {description: 'Recipient when a route names none'}),
	smtp: group(smtpSettings, {description: 'The mail server'}),
});

type Read = ValueOf<typeof emailDeclared.fields>;

/** What `platforms.email` says when mail can be sent with it. */
export type EmailSettings = Omit<Read, 'from' | 'smtp'> & {
	readonly from: string;
	readonly smtp: Omit<Read['smtp'], 'host'> & {
		readonly host: string;
		readonly port: number;
		readonly secure: boolean;
	};
};

/** `platforms.email`; `undefined` when it is absent, or off and incomplete. @see manual/delivery-email.md */
export const emailSettings = emailDeclared.schema
	.nullish()
	.transform((written, context): EmailSettings | undefined => {
		const {from, smtp, ...rest} = emailDeclared.read(written);
		const {host} = smtp;
		if (from && host) {
			const {port, secure} = written?.smtp ?? {};
			const isSecure = secure ?? port === securePort;
			return {
				...rest,
				from,
				smtp: {
					...smtp,
					host,
					port: port ?? (isSecure ? securePort : submissionPort),
					secure: isSecure,
				},
			};
		}

		if (rest.enabled) {
			context.addIssue({
				code: 'custom',
				message: `is enabled and needs "${from ? 'smtp.host' : 'from'}"`,
				input: undefined,
			});
		}

		return undefined;
	})
	.meta({description: 'Delivery by e-mail'});

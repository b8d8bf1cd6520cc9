import {nonEmptyText, setting} from '../../core/schema-parts.ts';
import {definePlatform, type SettingsOf} from '../platform.ts';
import {apiBase, chatName, matching, phoneForm, secretText} from '../settings.ts';

/** A phone number, a short code, or an alphanumeric name. */
const sender = /^(?:\+[1-9]\d{6,14}|\d{3,8}|(?=.*[a-z])[a-z0-9 &_+-]{1,11})$/i;

const fields = {
	account_sid: setting(
		matching(nonEmptyText, /^AC[\da-f]{32}$/i, 'AC and 32 hexadecimal digits'),
		'The account: `AC...`',
	),
	auth_token: secretText('Auth token of the account', 'TWILIO_AUTH_TOKEN'),
	api_key: setting(
		nonEmptyText,
		'A key of the account (`SK...`), which is used instead of its token',
	),
	api_secret: secretText('The secret of `api_key`', 'TWILIO_API_SECRET'),
	from: setting(
		matching(
			chatName,
			sender,
			'a number in quotes with its country code ("+15551234567"), a short code, or a name of at most 11 letters and digits',
		),
		'The number that sends, in quotes: `"+15551234567"`',
		{to: String},
	),
	messaging_service_sid: setting(
		nonEmptyText,
		'A messaging service (`MG...`), which chooses the number instead of `from`',
	),
	api_base: apiBase('https://api.twilio.com'),
};

export type SmsSettings = SettingsOf<typeof fields, 'accountSid'>;

/** User and password as sent with Basic authentication. */
export const twilioBasic = ({
	accountSid,
	authToken,
	apiKey,
	apiSecret,
}: Partial<SmsSettings>): string => {
	const [user, password] =
		apiKey !== undefined && apiSecret !== undefined ? [apiKey, apiSecret] : [accountSid, authToken];
	return Buffer.from(`${user}:${password}`).toString('base64');
};

/** SMS, through Twilio. @see manual/delivery-sms.md, https://www.twilio.com/docs/messaging/api/message-resource */
export const sms = definePlatform({
	kind: 'sms',
	title: 'SMS',
	fields,
	needs: ['accountSid'],
	lacks({authToken, apiKey, apiSecret, from, messagingServiceSid}) {
		const isKnown = authToken ?? (apiKey && apiSecret);
		return [
			...(isKnown === undefined ? ['"auth_token" or "api_key" and "api_secret"'] : []),
			...((from ?? messagingServiceSid) === undefined ? ['"from" or "messaging_service_sid"'] : []),
		].join(', ');
	},
	chat: phoneForm,
	// A phone number sends one SMS per second.
	perMinute: 60,
	secrets: settings => [twilioBasic(settings)],
	setUp: [
		'The first page of the Twilio console shows the account SID and the auth token; better make an API key (Account, API keys).',
		'Buy a number that sends SMS (Phone Numbers), or use a messaging service with a pool of them.',
	],
	load: async () => import('./send.ts'),
});

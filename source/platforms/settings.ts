import {z} from 'zod';
import {isLoopbackHost} from '../core/hosts.ts';
import {flag, checked, nonEmptyText, setting, wholeNumber} from '../core/schema-parts.ts';
import {defineSettings, type Declarations, type ValueOf} from '../core/settings.ts';
import {secretPartsOf} from './secret-parts.ts';

/** Default limit of messages for one text, unless the settings or the platform set another. */
export const usualParts = 20;

/** The name of a chat: text, or a number that YAML does not round. */
export const chatName = checked(z.union([nonEmptyText, z.number()]), value =>
	typeof value === 'number' && !Number.isSafeInteger(value)
		? 'is a number that is too large to be exact: write it in quotes'
		: undefined,
);

/** A text or a number that matches `form`; `must` describes the form. */
export const matching = <Schema extends z.ZodType<number | string>>(
	schema: Schema,
	form: RegExp,
	must: string,
) => checked(schema, value => (form.test(String(value)) ? undefined : `must be ${must}`));

/** A secret, preferably written as a reference to an environment variable, such as `variable`. */
export const secretText = (what: string, variable: string) =>
	setting(nonEmptyText, `${what}; best a reference: \`\${${variable}}\``, {secret: true});

const fullNumber = /^\+[1-9]\d{6,14}$/;

/** The form of a phone number as a destination. */
export const phoneForm = {
	form: fullNumber,
	says: 'a phone number in quotes with its country code ("+491701234567")',
};

/** Our own phone number. Without quotes, YAML would parse it as a number and lose its plus. @see ITU-T E.164 */
export const phoneNumber = matching(chatName, fullNumber, phoneForm.says);

/** Settings of every platform. */
const common = {
	enabled: flag(false, 'Whether messages are sent'),
	home_channel: setting(chatName, 'The chat if `deliver_extra` has no `chat_id`', {to: String}),
	per_minute: setting(
		wholeNumber(0, 6000),
		"Messages a minute to one chat; 0: no limit; absent: the platform's own",
	),
	inbound: setting(
		checked(z.boolean(), value =>
			value ? 'people cannot talk with the agent on this platform: leave it out' : undefined,
		),
		'Not available on this platform',
		{byHand: true},
	),
	max_parts: setting(
		wholeNumber(1, 100),
		'Most messages for one text; the rest is cut. Absent: 20 (sms 10)',
	),
} satisfies Declarations;

/** Declares the settings of a platform: `fields`, and those of every platform. */
export const definePlatformSettings = <Fields extends Declarations>(fields: Fields) =>
	defineSettings({...common, ...fields});

/** Values of the settings that every platform has. */
export type CommonSettings = ValueOf<typeof common>;

const addressProblem = (value: string): string | undefined => {
	const url = URL.parse(value);
	if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
		return 'must be an address that begins with https://';
	}

	return url.protocol === 'http:' && !isLoopbackHost(url.hostname)
		? 'must begin with https://: only addresses of this machine may begin with http://'
		: undefined;
};

/** A URL that is used unchanged, with its path and query. */
export const secureAddress = checked(nonEmptyText, addressProblem);

/** A URL to which paths are appended. */
const baseAddress = checked(nonEmptyText, value =>
	/[?#]/.test(value) ? 'must have neither "?" nor "#"' : addressProblem(value),
);

/** The base URL of a platform's API, to which documented paths are appended. */
export const apiBase = <const Default extends string>(standard: Default) =>
	setting(baseAddress, 'Base address of the API; `http:` is allowed for this machine only', {
		default: standard,
		to: withoutSlash,
	});

/** The URL of a self-hosted server. */
export const serverAddress = (description: string) =>
	setting(baseAddress, description, {to: withoutSlash});

const withoutSlash = (value: string): string => value.replace(/\/+$/, '');

/** An incoming webhook: a URL that accepts messages for one chat. */
export type Webhook = {readonly url: string; readonly secret?: string};

/** Incoming webhooks by the names that `chat_id` and `home_channel` use. */
export const webhooks = setting(
	z.record(nonEmptyText, z.strictObject({url: secureAddress, secret: nonEmptyText.nullish()})),
	'Incoming webhooks by name: `{url, secret}`; `chat_id` and `home_channel` are names of these webhooks, so an event cannot choose the address',
	{
		secret: true,
		to(written) {
			const hooks = new Map<string, Webhook>();
			for (const [name, {url, secret}] of Object.entries(written)) {
				hooks.set(name, {url, ...(secret && {secret})});
			}

			return hooks.size === 0 ? undefined : hooks;
		},
	},
);

/** The parts of webhooks to redact: URLs, long parts of paths, query values, secrets. */
export const secretsOfWebhooks = (
	all: ReadonlyMap<string, Webhook> | undefined,
): readonly string[] =>
	[...(all?.values() ?? [])].flatMap(({url, secret}) => [
		url,
		...secretPartsOf(url),
		...(secret === undefined ? [] : [secret]),
	]);

import {z} from 'zod';
import {isLoopbackHost} from '../core/hosts.ts';
import {flag, checked, nonEmptyText, setting, wholeNumber} from '../core/schema-parts.ts';
import {defineSettings, type Declarations, type ValueOf} from '../core/settings.ts';
import {secretPartsOf} from './secret-parts.ts';

/** Messages that one text becomes at most, unless the settings or the platform say otherwise. */
export const usualParts = 20;

/** What names a chat: text, or a number that YAML does not round. */
export const chatName = checked(z.union([nonEmptyText, z.number()]), value =>
	typeof value === 'number' && !Number.isSafeInteger(value)
		? 'is a number that is too large to be exact: write it in quotes'
		: undefined,
);

const fullNumber = /^\+[1-9]\d{6,14}$/;

/** A phone number of ours. YAML takes one without quotes for a number, and its plus is lost. @see ITU-T E.164 */
export const phoneNumber = checked(chatName, value =>
	fullNumber.test(String(value))
		? undefined
		: 'must be a phone number in quotes with its country code ("+491701234567")',
);

/** A phone number as the place of a message. */
export const phoneForm = {
	form: fullNumber,
	says: 'a phone number in quotes with its country code ("+491701234567")',
};

/** What may stand below every platform that messages are sent to. */
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

/** The settings of a platform: `fields`, and those that all of them have. */
export const platformSettingsOf = <Fields extends Declarations>(fields: Fields) =>
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

/** An address whose path and query are asked as they stand. */
export const secureAddress = checked(nonEmptyText, addressProblem);

/** An address that paths are put behind. */
const baseAddress = checked(nonEmptyText, value =>
	/[?#]/.test(value) ? 'must have neither "?" nor "#"' : addressProblem(value),
);

/** Where the API of a platform is: what stands before the paths of its documentation. */
export const apiBase = <const Default extends string>(standard: Default) =>
	setting(baseAddress, 'Address before the paths of the API; `http:` for this machine only', {
		default: standard,
		to: withoutSlash,
	});

/** The address of a server that everybody has their own of. */
export const serverAddress = (description: string) =>
	setting(baseAddress, description, {to: withoutSlash});

const withoutSlash = (value: string): string => value.replace(/\/+$/, '');

/** An incoming webhook: an address that takes messages for one chat. */
export type Webhook = {readonly url: string; readonly secret?: string | undefined};

/** Incoming webhooks by the names that `chat_id` and `home_channel` give them. */
export const webhooks = setting(
	z.record(nonEmptyText, z.strictObject({url: secureAddress, secret: nonEmptyText.nullish()})),
	'Incoming webhooks by name: `{url, secret}`; `chat_id` and `home_channel` are such names, so no event chooses an address',
	{
		secret: true,
		to(written) {
			const entries = Object.entries(written).map(
				([name, {url, secret}]): readonly [string, Webhook] => [
					name,
					{url, ...(secret != null && {secret})},
				],
			);
			return entries.length === 0 ? undefined : new Map(entries);
		},
	},
);

/** What of webhooks must never be shown: their addresses, the long parts of the paths, the values of the queries, their secrets. */
export const secretsOfWebhooks = (
	all: ReadonlyMap<string, Webhook> | undefined,
): readonly string[] =>
	[...(all?.values() ?? [])].flatMap(({url, secret}) => [
		url,
		...secretPartsOf(url),
		...(secret === undefined ? [] : [secret]),
	]);

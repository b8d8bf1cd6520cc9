import {z} from 'zod';
import {isLoopbackHost} from '../core/hosts.ts';
import {flag, checked, nonEmptyText, setting, wholeNumber} from '../core/schema-parts.ts';
import {defineSettings, type Declarations, type ValueOf} from '../core/settings.ts';
import {secretPartsOf} from './secret-parts.ts';

/** The most messages that one text becomes, unless the settings or the platform say otherwise. */
export const usualParts = 20;

/** The name of a chat: text, or a number that YAML does not round. */
export const chatName = checked(z.union([nonEmptyText, z.number()]), value =>
	typeof value === 'number' && !Number.isSafeInteger(value)
		? 'is a number that is too large to be exact: write it in quotes'
		: undefined,
);

/** A text or a number of the form `form`; `must` says which that is. */
export const matching = <Schema extends z.ZodType<number | string>>(
	schema: Schema,
	form: RegExp,
	must: string,
) => checked(schema, value => (form.test(String(value)) ? undefined : `must be ${must}`));

/** A secret, best written as a reference to an environment variable, of which `variable` is an example. */
export const secretText = (what: string, variable: string) =>
	setting(nonEmptyText, `${what}; best a reference: \`\${${variable}}\``, {secret: true});

const fullNumber = /^\+[1-9]\d{6,14}$/;

/** A phone number as the place of a message. */
export const phoneForm = {
	form: fullNumber,
	says: 'a phone number in quotes with its country code ("+491701234567")',
};

/** A phone number of ours. YAML takes one without quotes for a number, and its plus is lost. @see ITU-T E.164 */
export const phoneNumber = matching(chatName, fullNumber, phoneForm.says);

/** The settings of every platform. */
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

/** The settings of a platform: `fields`, and those of every platform. */
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

/** An address that is used as it is, with its path and query. */
export const secureAddress = checked(nonEmptyText, addressProblem);

/** An address to which paths are added. */
const baseAddress = checked(nonEmptyText, value =>
	/[?#]/.test(value) ? 'must have neither "?" nor "#"' : addressProblem(value),
);

/** The address of a platform's API: the part before the paths of its documentation. */
export const apiBase = <const Default extends string>(standard: Default) =>
	setting(baseAddress, 'Base address of the API; `http:` is allowed for this machine only', {
		default: standard,
		to: withoutSlash,
	});

/** The address of a server of one's own. */
export const serverAddress = (description: string) =>
	setting(baseAddress, description, {to: withoutSlash});

const withoutSlash = (value: string): string => value.replace(/\/+$/, '');

/** An incoming webhook: an address that takes messages for one chat. */
export type Webhook = {readonly url: string; readonly secret?: string};

/** Incoming webhooks by the names that `chat_id` and `home_channel` give them. */
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

/** The parts of webhooks that must never be shown: their addresses, the long parts of the paths, the values of the queries, their secrets. */
export const secretsOfWebhooks = (
	all: ReadonlyMap<string, Webhook> | undefined,
): readonly string[] =>
	[...(all?.values() ?? [])].flatMap(({url, secret}) => [
		url,
		...secretPartsOf(url),
		...(secret === undefined ? [] : [secret]),
	]);

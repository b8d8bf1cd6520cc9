import {z} from 'zod';
import {keyPrefixPattern} from '../core/api-key.ts';
import {defaultApiPort} from '../core/hosts.ts';
import {flag, nonEmptyText, nonEmptyTexts, setting, wholeNumber} from '../core/schema-parts.ts';
import {defineSettings, type ValueOf} from '../core/settings.ts';

const maxTokens = 1_000_000_000;
const mebibyte = 2 ** 20;

/** Identifiers that clients may send as `model`: long enough for `vendor/name:tag`, without characters that terminals or URLs interpret. */
const modelId = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

/** One of `api.models`. @see manual/chat-api.md#models */
export const apiModelSettings = defineSettings({
	agent: flag(false, 'An agent answers: with tools, approvals and skills'),
	relay: flag(
		false,
		'Passed to the model of `model`; adds no instructions or tools, and removes secrets of the gateway',
	),
	tools: flag(true, 'Of an agent; `false`: no tools and no approvals, for titles and tags'),
	toolsets: setting(nonEmptyTexts, 'Of an agent: its tools, instead of `svc-webhook`'),
	skills: setting(
		nonEmptyTexts,
		'Of an agent; the first [skill](skills.md) that is found is loaded, the others may be activated',
		{default: []},
	),
	name: setting(nonEmptyText, "The provider's name of the model, instead of `model.name`"),
	context_length: setting(
		wholeNumber(1, maxTokens),
		"The value in `/v1/models`; absent: that of the model's server",
	),
	max_output_tokens: setting(
		wholeNumber(1, maxTokens),
		"The value in `/v1/models`, and the most that a request may ask for; absent: that of the model's server, and no bound",
	),
});

export type ApiModel = ValueOf<typeof apiModelSettings.fields>;

/** Model for titles and tags, which chat applications request beside each conversation. It is added to the configured models. */
const titleModel = ['svc-title-1', apiModelSettings.read({agent: true, tools: false})] as const;

const origin = nonEmptyText.refine(
	written => written === URL.parse(written)?.origin,
	'must be an origin, as https://chat.example.com',
);

/** `api`. @see manual/chat-api.md#settings */
export const apiSettings = defineSettings({
	enabled: flag(true, 'Whether the chat API is served (`API_ENABLED`)'),
	host: setting(nonEmptyText, 'Address to listen on', {default: '127.0.0.1', change: 'restart'}),
	port: setting(wholeNumber(0, 65_535), 'Port to listen on; 0: any free one (`API_PORT`)', {
		default: defaultApiPort,
		change: 'restart',
	}),
	models: setting(
		z.record(
			z.string().regex(modelId, 'must be up to 128 letters, digits and . _ : / -'),
			apiModelSettings.schema.refine(
				({agent, relay}) => (agent === true) !== (relay === true),
				'must have either "agent: true" or "relay: true"',
			),
		),
		'Public identifiers, and [the model](chat-api.md#models) for each; `svc-title-1` is added',
		{
			default: {'svc-agent-1': {agent: true}, 'svc-model-1': {relay: true}},
			to: (written): ReadonlyMap<string, ApiModel> =>
				new Map([
					titleModel,
					...Object.entries(written).map(
						([id, model]) => [id, apiModelSettings.read(model)] as const,
					),
				]),
		},
	),
	max_body_bytes: setting(wholeNumber(1024, 256 * mebibyte), 'Largest request', {
		default: 10 * mebibyte,
	}),
	cors_origins: setting(
		z.array(origin),
		'Origins of web pages that may use the API in a browser; none by default',
		{default: []},
	),
	key_prefix: setting(
		z.string().regex(keyPrefixPattern, 'must be up to 16 small letters and digits, a letter first'),
		'What new keys begin with',
		{default: 'svc'},
	),
});

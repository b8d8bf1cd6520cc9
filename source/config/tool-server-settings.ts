import {z} from 'zod';
import {
	flag,
	looseSetting,
	seconds,
	setting,
	nonEmptyText,
	nonEmptyTexts,
	wholeNumber,
} from '../core/schema-parts.ts';
import {defineSettings, group} from '../core/settings.ts';
import {boolLike} from './tool-server-parts.ts';

const maxNames = 1000;

const day = 24 * 60 * 60;

const names = z
	.union([nonEmptyText, z.array(nonEmptyText).max(maxNames)])
	.transform(written => [written].flat());

const toolsSettings = defineSettings({
	include: setting(
		names,
		"Tools that are offered: the server's own names, or globs; a text or a list. Empty: none, absent: all; wins over `exclude`",
	),
	exclude: setting(names, 'Tools that are left out: names or globs (`*`, `?`, `[a-z]`, `[!a-z]`)', {
		default: [],
	}),
	resources: setting(
		boolLike,
		'Offer `list_resources` and `read_resource` if the server has resources; also yes/no, on/off, 1/0; absent: yes, unless `prompts` is switched on alone',
	),
	prompts: setting(
		boolLike,
		'Offer `list_prompts` and `get_prompt` if the server has prompts; absent: yes, unless `resources` is switched on alone',
	),
});

const samplingSettings = defineSettings({
	enabled: setting(
		z.boolean(),
		"Whether the server may ask the gateway's model; absent: `true`, but `false` for an untrusted server",
	),
	model: setting(nonEmptyText, 'Model that answers; absent: the configured one'),
	max_tokens_cap: setting(wholeNumber(1, 1_000_000), 'Most tokens of an answer', {default: 4096}),
	timeout: setting(seconds(day), 'Seconds for an answer', {default: 30, unit: 'seconds'}),
	max_rpm: setting(wholeNumber(1, 10_000), 'Most requests in a minute', {default: 10}),
	allowed_models: setting(
		nonEmptyTexts,
		'Models that the server may name; empty: none but the configured one',
		{default: []},
	),
	max_tool_rounds: setting(
		wholeNumber(0, 100),
		'Most rounds of tool results that a request may end with',
		{
			default: 5,
		},
	),
});

const elicitationSettings = defineSettings({
	enabled: flag(
		true,
		'Whether the server may ask a person to fill in a form; requests to open a URL are always declined',
	),
	timeout: setting(seconds(day), 'Seconds for an answer', {default: 300, unit: 'seconds'}),
});

/** The settings of any tool server. */
export const serverSettings = defineSettings({
	enabled: flag(true, '`false`: no connection, no tools; the entry stays', {change: 'reconnect'}),
	timeout: setting(seconds(day), 'Seconds for a call', {default: 300, unit: 'seconds'}),
	connect_timeout: setting(seconds(day), 'Seconds to connect, with the list of tools', {
		default: 60,
		unit: 'seconds',
	}),
	protocol: looseSetting(
		{type: ['string', 'null'], enum: ['auto', 'stateless', 'legacy', null]},
		'`auto`: the `initialize` handshake, then the 2026-07-28 probe if the server knows only that; `stateless`: the probe first; `legacy`: the handshake alone. An unknown word means `auto`, with a warning',
		{default: 'auto', to: protocolOf, change: 'reconnect'},
	),
	supports_parallel_tool_calls: flag(
		false,
		'Calls run at the same time; otherwise one after the other, in the order in which they are allowed (a call that waits for approval delays no other)',
		{as: 'parallel'},
	),
	transport: setting(
		z.enum(['sse', 'http', 'streamable-http', 'streamable_http', 'stdio']),
		'`sse`: the older SSE transport; absent: Streamable HTTP beside `url`, standard input and output beside `command`',
		{at: ['endpoint.transport'], change: 'reconnect', identity: true},
	),
	keepalive_interval: setting(
		z.number().min(0).max(day),
		'Seconds between pings, at least 5; absent: 180 for `url`, none for `command`',
		{at: ['keepaliveMs']},
	),
	lazy: flag(false, 'Connect at the first call; before that the tools come from the cache'),
	tools: group(toolsSettings, 'Which tools are offered'),
	sampling: group(samplingSettings, 'Requests of the server to our model', {change: 'reconnect'}),
	elicitation: group(elicitationSettings, 'Questions of the server to a person', {
		change: 'reconnect',
	}),
	trust: looseSetting(
		{anyOf: [{type: 'string', enum: ['full', 'untrusted']}, {type: ['string', 'null']}]},
		'`full`, or `untrusted`: [every call](#trust) of a tool that does not claim `readOnlyHint: true` asks a person first. Case and blanks do not count; any other value means `untrusted`, with a warning',
		{default: 'full', to: trustOf, change: 'reconnect'},
	),
});

const plain = (written: unknown): unknown =>
	typeof written === 'string' ? written.trim().toLowerCase() : written;

/** "`trust` trimmed, case-insensitive"; "Unrecognised values are treated as `untrusted`". */
function trustOf(written: unknown): 'full' | 'untrusted' {
	return plain(written) === 'full' ? 'full' : 'untrusted';
}

function protocolOf(written: unknown): 'auto' | 'stateless' | 'legacy' {
	return (['stateless', 'legacy'] as const).find(word => word === plain(written)) ?? 'auto';
}

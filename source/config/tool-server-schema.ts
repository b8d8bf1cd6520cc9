import {z} from 'zod';
import {
	checked,
	looseSetting,
	seconds,
	setting,
	text,
	texts,
	wholeNumber,
} from '../core/schema-parts.ts';
import {cell} from '../core/untrusted.ts';
import {oauthSchema} from './oauth-schema.ts';
import {
	argsText,
	boolLike,
	headerText,
	headerName,
	programText,
	textLike,
	variableName,
} from './tool-server-parts.ts';
import {problemsWithServer, problemWithServerUrl} from './tool-server-problems.ts';

/** What is known of each takes memory, and each may be a process. */
const mostServers = 200;
const longestName = 128;
const mostNames = 1000;

const day = 24 * 60 * 60;
/** A timer counts no further. */
const longestSpan = 24 * day;

/** Seconds, of which 0 means never. */
const span = z.number().min(0).max(longestSpan);

const names = z.union([text, z.array(text).max(mostNames)]).transform(written => [written].flat());

const recycling = {
	idle_timeout_seconds: setting(span, {
		description: 'End the process when no call came for so long; 0: never',
	}),
	max_lifetime_seconds: setting(span, {
		description: 'End the process at this age, between two calls; 0: never',
	}),
};

const toolsSchema = z.object({
	include: setting(names, {
		description: "The server's own tools that are offered: names or globs; wins over exclude",
	}),
	exclude: setting(names, {description: 'Tools that are left out: names or globs'}),
	resources: setting(boolLike, {
		description:
			'Offer list_resources and read_resource where the server has resources; also yes/no, on/off, 1/0; absent: yes, unless prompts is switched on alone',
	}),
	prompts: setting(boolLike, {
		description:
			'Offer list_prompts and get_prompt where the server has prompts; absent: yes, unless resources is switched on alone',
	}),
});

const samplingSchema = z.object({
	enabled: setting(z.boolean(), {
		description:
			'Whether the server may ask our model; default true, but false for an untrusted server',
	}),
	model: setting(text, {description: 'Model that answers; absent: the configured one'}),
	max_tokens_cap: setting(wholeNumber(1, 1_000_000), {
		description: 'Most tokens of an answer',
		default: 4096,
	}),
	timeout: setting(seconds(day), {description: 'Seconds for an answer', default: 30}),
	max_rpm: setting(wholeNumber(1, 10_000), {description: 'Requests in a minute', default: 10}),
	allowed_models: setting(texts, {
		description: 'Models that the server may name; empty: none but the configured one',
		default: [],
	}),
	max_tool_rounds: setting(wholeNumber(0, 100), {
		description: 'Requests in a row that answer with tool results',
		default: 5,
	}),
});

const elicitationSchema = z.object({
	enabled: setting(z.boolean(), {
		description: 'Whether the server may ask a person; URLs are always declined',
		default: true,
	}),
	timeout: setting(seconds(day), {description: 'Seconds for an answer', default: 300}),
});

const fields = z.object({
	command: setting(programText, {description: 'Executable to launch; makes it a stdio server'}),
	args: setting(argsText, {
		description:
			'Its arguments: a list; a text is split at blanks as a shell does, or read as JSON',
	}),
	env: setting(z.record(variableName, textLike.nullish()), {
		description: 'Its variables, besides PATH, HOME, LANG and the like',
	}),
	url: setting(checked(text, problemWithServerUrl), {
		description: 'Endpoint of a remote server, http:// or https://',
	}),
	headers: setting(z.record(headerName, headerText.nullish()), {
		description: 'Headers of requests to the endpoint',
	}),
	ssl_verify: setting(z.union([z.boolean(), text]), {
		description: 'true: system CAs; false: no verification (insecure); else path of a PEM bundle',
		default: true,
	}),
	client_cert: setting(z.union([text, z.array(z.string())]), {
		description: 'PEM file with certificate and key, or [cert, key], or [cert, key, password]',
	}),
	client_key: setting(text, {
		description: 'Key file, where client_cert names the certificate only',
	}),
	enabled: setting(z.boolean(), {
		description: 'false: no connection, no tools; the entry stays',
		default: true,
	}),
	timeout: setting(seconds(day), {description: 'Seconds for a call', default: 300}),
	connect_timeout: setting(seconds(day), {description: 'Seconds to connect', default: 60}),
	protocol: looseSetting({
		type: ['string', 'null'],
		enum: ['auto', 'stateless', 'legacy', null],
		description: 'auto: handshake first; stateless: server/discover first; legacy: handshake only',
		default: 'auto',
	}),
	supports_parallel_tool_calls: setting(z.boolean(), {
		description: 'Calls run side by side',
		default: false,
	}),
	skip_preflight: setting(z.boolean(), {
		description: 'No look at the content type before the first connection',
		default: false,
	}),
	transport: setting(z.enum(['sse', 'http', 'streamable-http', 'streamable_http', 'stdio']), {
		description: 'sse: the older SSE transport; default: Streamable HTTP beside url',
	}),
	keepalive_interval: setting(z.number().min(0).max(day), {
		description: 'Seconds between pings, at least 5; absent: 180 for url, none for command',
	}),
	lazy: setting(z.boolean(), {
		description: 'Connect at the first call; tools come from the cache',
		default: false,
	}),
	...recycling,
	lifecycle: setting(z.object(recycling), {
		description: 'Another place for the two; what stands beside command counts',
	}),
	tools: setting(toolsSchema, {description: 'Which tools are offered'}),
	auth: setting(z.enum(['oauth']), {description: 'oauth: OAuth 2.1 with PKCE; beside url only'}),
	oauth: setting(oauthSchema, {description: 'Settings for auth: oauth'}),
	sampling: setting(samplingSchema, {description: 'Requests of the server to our model'}),
	elicitation: setting(elicitationSchema, {description: 'Questions of the server to a person'}),
	trust: looseSetting({
		type: ['string', 'null'],
		description: 'full, or untrusted: calls that may change things need approval; else untrusted',
		default: 'full',
	}),
});

/** One entry of `mcp_servers` as it is written. @see manual/tool-servers.md#settings, manual/tool-servers.md#which-tools-a-server-offers, manual/tool-servers.md#logins */
const toolServerSchema = fields
	.superRefine((server, context) => {
		for (const {path, message} of problemsWithServer(server)) {
			context.addIssue({code: 'custom', path: [...path], message});
		}
	})
	.meta({
		id: 'tool_server',
		description: 'A tool server: a program (command) or a remote one (url)',
		oneOf: [{required: ['command']}, {required: ['url']}],
	});

const problemWithName = (name: string): string | undefined =>
	name.trim() !== '' &&
	name.length <= longestName &&
	cell(name).flags === 0 &&
	!/[\n\r\t]/.test(name)
		? undefined
		: `is not a name: 1 to ${longestName} characters, none of them hidden or a control`;

/** `mcp_servers`. */
export const toolServersSchema = checked(
	z.record(checked(z.string(), problemWithName), toolServerSchema),
	servers =>
		Object.keys(servers).length > mostServers
			? `must hold at most ${mostServers} servers`
			: undefined,
);

/** An entry as it is written, checked. */
export type RawToolServer = z.output<typeof fields>;

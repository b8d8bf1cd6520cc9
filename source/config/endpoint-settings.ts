import {z} from 'zod';
import {
	flag,
	checked,
	headerText,
	nonEmptyText,
	seconds,
	settableHeaderName,
	setting,
	units,
	wholeNumber,
} from '../core/schema-parts.ts';
import {defineSettings} from '../core/settings.ts';
import {hasReference} from './references.ts';
import {argsText, programText, textLike, variableName} from './tool-server-parts.ts';
import {problemWithServerUrl} from './tool-server-problems.ts';
import {hostRulesOf, hostTexts} from './toolset-settings.ts';

const day = 24 * 60 * 60;
/** Longest span: timers cannot count further. */
const maxSpanSeconds = 24 * day;

/** A span in seconds; 0 means never. */
const span = z.number().min(0).max(maxSpanSeconds);

/** A span in milliseconds; `undefined` for never. */
const msUnlessNever = (written: number): number | undefined =>
	written === 0 ? undefined : Math.max(1, Math.round(written * units.seconds));

const recycling = {
	idle_timeout_seconds: setting(
		span,
		'Seconds without a call after which the process ends; `0`: never, at most 24 days; also under `lifecycle`',
		{as: 'idleMs', to: msUnlessNever},
	),
	max_lifetime_seconds: setting(
		span,
		'Age in seconds at which the process ends, but not during a call; `0`: never, at most 24 days; also under `lifecycle`',
		{as: 'lifetimeMs', to: msUnlessNever},
	),
};

const textsOf = (written: Readonly<Record<string, string | null | undefined>>) =>
	Object.fromEntries(
		Object.entries(written).filter(
			(entry): entry is [string, string] => typeof entry[1] === 'string',
		),
	);

/** Path of a file or folder as people write it. */
const listedPath = nonEmptyText.refine(
	text => (/^(?:\/|~\/|~$)/.test(text) || hasReference(text)) && !text.includes('\0'),
	'is no absolute path: begin it with / or ~/',
);

/** `sandbox` of a server. @see manual/sandbox.md#tool-servers */
const serverSandboxSettings = defineSettings({
	read: setting(z.array(listedPath), "Files and folders that may be read beside the system's", {
		default: [],
	}),
	write: setting(z.array(listedPath), 'Folders that may be written', {default: []}),
	hosts: setting(hostTexts, 'Hosts that may be reached, as in `sandbox.hosts`', {
		default: [],
		to: hostRulesOf,
	}),
});

/** Access of a server's sandbox besides the folders of the system. */
export type ServerSandbox = ReturnType<typeof serverSandboxSettings.read>;

const sandboxOf = (
	written: boolean | z.output<typeof serverSandboxSettings.schema>,
): ServerSandbox | undefined =>
	written === false ? undefined : serverSandboxSettings.read(written === true ? {} : written);

/** Settings of programs only; as typed values they are under `endpoint`. @see manual/tool-servers.md#programs */
export const programSettings = defineSettings({
	command: setting(programText, 'Executable to launch; an entry has either this or `url`', {
		change: 'reconnect',
		identity: true,
	}),
	args: setting(
		argsText,
		'Arguments of the program: a list, or a text, which is split as in a shell (without expansion), or read as JSON',
		{default: [], change: 'reconnect', identity: true},
	),
	env: setting(
		z.record(variableName, textLike.nullish()),
		'Environment variables of the program, besides PATH, HOME, LANG and [others](#programs)',
		{default: {}, change: 'reconnect', to: textsOf},
	),
	sandbox: setting(
		z.union([z.boolean(), serverSandboxSettings.schema]),
		'[A sandbox of its own](sandbox.md#tool-servers): `{read, write, hosts}`, lists of paths and hosts; `true`: only the folders of the system; absent or `false`: none',
		{change: 'reconnect', to: sandboxOf},
	),
	...recycling,
	lifecycle: setting(
		z.object(recycling),
		'Another place for the two; what stands beside `command` counts',
		{at: []},
	),
});

const authMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** `oauth` of a tool server as written; references in it are checked when they are resolved. @see manual/tool-servers.md#logins */
const oauthSettings = defineSettings({
	flow: setting(
		z.enum(['browser', 'device']),
		'How a person [logs in](logins.md): in a browser (PKCE), or with a code on another device',
		{default: 'browser'},
	),
	timeout: setting(
		seconds(day),
		'Seconds to wait for device approval, also limited by the lifetime of the code',
		{default: 300},
	),
	client_id: setting(nonEmptyText, 'Client registered beforehand'),
	client_secret: setting(z.string(), 'Its secret; best a reference', {secret: true}),
	token_endpoint_auth_method: setting(
		z.enum(authMethods),
		'How the client authenticates at the token endpoint',
	),
	client_name: setting(nonEmptyText, 'Name that dynamic registration gives'),
	redirect_uri: setting(
		checked(nonEmptyText, problemWithRedirect),
		'Address to which the browser comes back, instead of a [port of this machine](logins.md#callback-ports)',
	),
	redirect_port: setting(wholeNumber(1, 65_535), 'Loopback port to which the browser comes back'),
	scope: setting(z.string(), 'Scopes to ask for; wins over advertised ones'),
	user_agent: setting(
		z.string(),
		'User-Agent of requests to the token endpoint only; an empty one is ignored',
	),
	client_metadata_url: setting(
		checked(nonEmptyText, problemWithDocument),
		'[Client metadata document](logins.md#client-identification) that you host; https, with a path',
	),
	cimd: flag(
		true,
		'Client metadata document, if the server takes one; false: dynamic registration',
	),
});

/** Settings of remote servers only; as typed values they are under `endpoint`. @see manual/tool-servers.md#remote-servers */
export const remoteSettings = defineSettings({
	url: setting(
		checked(nonEmptyText, problemWithServerUrl),
		'Endpoint of a remote server, `http://` or `https://`, without user name and password',
		{change: 'reconnect', identity: true},
	),
	headers: setting(
		z.record(settableHeaderName, headerText.nullish()),
		'[Headers](#remote-servers) of requests to the endpoint, and to nothing else',
		{default: {}, change: 'reconnect', to: textsOf},
	),
	ssl_verify: setting(
		z.union([z.boolean(), nonEmptyText]),
		'`true`: [all trusted certificate authorities](configuration.md#certificates); `false`: no verification (insecure, with a warning); else path of a PEM bundle',
		{default: true, at: ['tls.verify'], change: 'reconnect'},
	),
	client_cert: setting(
		z.union([nonEmptyText, z.array(z.string())]),
		'PEM file with certificate and key, or `[cert, key]`, or `[cert, key, password]`',
		{at: ['tls.client.cert', 'tls.client.password'], change: 'reconnect'},
	),
	client_key: setting(nonEmptyText, 'Key file, if `client_cert` names only the certificate', {
		at: ['tls.client.key'],
		change: 'reconnect',
	}),
	skip_preflight: flag(
		false,
		'`true`: the content type is not checked before the first connection',
		{
			change: 'reconnect',
		},
	),
	auth: setting(z.enum(['oauth']), '`oauth`: [OAuth 2.1 with PKCE](#logins); beside `url` only', {
		change: 'reconnect',
	}),
	oauth: setting(oauthSettings.schema, 'Settings for `auth: oauth`', {
		at: ['oauth'],
		inner: oauthSettings,
		change: 'reconnect',
	}),
});

function problemWithRedirect(uri: string): string | undefined {
	if (hasReference(uri)) {
		return undefined;
	}

	const url = URL.parse(uri);
	return /^https?:$/.test(url?.protocol ?? '') && url?.hash === ''
		? undefined
		: 'must be a URL that starts with http:// or https://, without a fragment';
}

/**
 * The problem with the URL of a client metadata document: "must be HTTPS with a path (no bare origin, fragment, userinfo, or `.`/`..` segments)".
 *
 * @see manual/tool-servers.md#logins
 */
function problemWithDocument(address: string): string | undefined {
	if (hasReference(address)) {
		return undefined;
	}

	const url = URL.parse(address);
	// The URL parser resolves such segments, so they are searched in the text as written.
	const isPlain =
		url?.protocol === 'https:' &&
		url.pathname !== '/' &&
		url.username + url.password === '' &&
		!address.includes('#') &&
		!/\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(address);
	return isPlain
		? undefined
		: 'must be an https:// URL with a path, without a fragment, a user name and the segments "." and ".."';
}

import {nearestName} from '../core/names.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import type {RawToolServer} from './tool-server-schema.ts';

/** What a server says without the effect that it seems to have. `servers` is `mcp_servers` as written. */
export const diagnoseServers = (
	servers: Readonly<Record<string, RawToolServer>> | null | undefined,
): readonly UnplacedDiagnostic[] =>
	Object.entries(servers ?? {}).flatMap(([name, server]) =>
		warningsOf(server).map((warning): UnplacedDiagnostic => ({
			...warning,
			path: ['mcp_servers', name, ...warning.path],
			severity: 'warning',
		})),
	);

const ofStdio = [
	'args',
	'env',
	'idle_timeout_seconds',
	'max_lifetime_seconds',
	'lifecycle',
] as const;

const ofRemote = [
	'headers',
	'ssl_verify',
	'client_cert',
	'client_key',
	'skip_preflight',
	'oauth',
] as const;

const warningsOf = (server: RawToolServer): readonly UnplacedDiagnostic[] => [
	...warningsOfWords(server),
	...warningsOfPlace(server),
	...warningsOfValues(server),
];

function warningsOfWords({protocol, trust}: RawToolServer): readonly UnplacedDiagnostic[] {
	return [
		...warningOfWord(protocol, {
			key: 'protocol',
			known: ['auto', 'stateless', 'legacy'],
			instead: 'auto',
		}),
		...warningOfWord(trust, {key: 'trust', known: ['full', 'untrusted'], instead: 'untrusted'}),
	];
}

type Word = {
	readonly key: string;
	readonly known: readonly string[];
	/** What an unknown one means. */
	readonly instead: string;
};

const maxShownLength = 40;

function warningOfWord(
	written: unknown,
	{key, known, instead}: Word,
): readonly UnplacedDiagnostic[] {
	const word = typeof written === 'string' ? written.trim() : '';
	if (written === undefined || written === null || known.includes(word.toLowerCase())) {
		return [];
	}

	const nearest = nearestName(word, known);
	const shown = word === '' ? 'this' : `"${escapeLine(word, maxShownLength)}"`;
	// What it means is said already.
	const meant = nearest === undefined || nearest === instead ? '' : `, did you mean "${nearest}"`;
	const message = `${shown} is not known and means "${instead}": must be one of ${known.join(', ')}${meant}`;
	return [{path: [key], message, at: 'value'}];
}

/** Keys that belong to the other kind of server. */
function warningsOfPlace(server: RawToolServer): readonly UnplacedDiagnostic[] {
	const [keys, beside] = server.url
		? ([ofStdio, 'url'] as const)
		: ([ofRemote, 'command'] as const);
	const misplaced = keys
		.filter(key => server[key] !== undefined && server[key] !== null)
		.map((key): UnplacedDiagnostic => ({
			path: [key],
			message: `has no effect beside "${beside}"`,
			at: 'key',
		}));
	return server.url && server.oauth && !server.auth
		? [...misplaced, {path: ['oauth'], message: 'has no effect without "auth: oauth"', at: 'key'}]
		: misplaced;
}

function warningsOfValues(server: RawToolServer): readonly UnplacedDiagnostic[] {
	const {tools, keepalive_interval: keepalive, lifecycle} = server;
	const warnings: UnplacedDiagnostic[] = [];
	if (server.url && server.ssl_verify === false) {
		const message =
			'the certificate of the server is not checked: whoever is on the way can read and change everything';
		warnings.push({path: ['ssl_verify'], message, at: 'value'});
	}

	if (typeof keepalive === 'number' && keepalive < 5) {
		const message = 'is less than 5 seconds: 5 is used';
		warnings.push({path: ['keepalive_interval'], message, at: 'value'});
	}

	if (tools?.include && tools.exclude && tools.exclude.length > 0) {
		const message = 'has no effect beside "include"';
		warnings.push({path: ['tools', 'exclude'], message, at: 'key'});
	}

	for (const key of ['idle_timeout_seconds', 'max_lifetime_seconds'] as const) {
		const [direct, inside] = [server[key], lifecycle?.[key]];
		if (typeof direct === 'number' && typeof inside === 'number' && direct !== inside) {
			const message = `has no effect: "${key}" stands beside "lifecycle" too`;
			warnings.push({path: ['lifecycle', key], message, at: 'key'});
		}
	}

	return warnings;
}

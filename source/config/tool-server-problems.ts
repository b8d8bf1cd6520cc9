import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import type {KeyPath} from './plain-data.ts';
import {hasReference} from './references.ts';
import type {RawToolServer} from './tool-server-schema.ts';

/** Conflicts between valid keys of an entry. @see manual/tool-servers.md#settings */
export function problemsWithServer(server: RawToolServer): readonly UnplacedDiagnostic[] {
	return [
		...problemsWithEndpoint(server),
		...problemsWithCertificate(server),
		...problemsWithHeaders(Object.keys(server.headers ?? {})),
	];
}

function problemsWithEndpoint(given: RawToolServer): readonly UnplacedDiagnostic[] {
	const {command, url, transport, auth, sandbox} = given;
	const isRemote = isWritten(url);
	if (isWritten(command) === isRemote) {
		const message = isRemote
			? 'has both "command" and "url": a server is one of the two'
			: 'needs "command" (a program) or "url" (a remote server)';
		return [{path: [], message}];
	}

	return [
		...when(auth && !isRemote, ['auth'], 'is for remote servers: it needs "url"'),
		...when(sandbox && isRemote, ['sandbox'], 'is for programs: it needs "command"'),
		...when(
			transport && isRemote === (transport === 'stdio'),
			['transport'],
			`does not fit to "${isRemote ? 'url' : 'command'}"`,
		),
	];
}

const isWritten = (value: unknown): boolean => value !== undefined && value !== null;

/** A problem at `path`, where `applies` is truthy. */
const when = (applies: unknown, path: KeyPath, message: string): readonly UnplacedDiagnostic[] =>
	applies ? [{path, message}] : [];

const problemsWithCertificate = ({client_cert: cert, client_key: key}: RawToolServer) => [
	...when(
		Array.isArray(cert) && (![2, 3].includes(cert.length) || cert.slice(0, 2).includes('')),
		['client_cert'],
		'must be a text, [certificate, key] or [certificate, key, password]',
	),
	...when(key && !cert, ['client_key'], 'needs "client_cert" beside it'),
	...when(
		key && Array.isArray(cert),
		['client_key'],
		'stands beside a "client_cert" that is a list and names the key already',
	),
];

function problemsWithHeaders(names: readonly string[]): UnplacedDiagnostic[] {
	const alike = Map.groupBy(names, name => name.toLowerCase());
	return [...alike.values()]
		.flatMap(([, ...others]) => others)
		.map(name => ({
			path: ['headers', name],
			message: 'stands twice: upper and lower case are the same here',
		}));
}

/** Why `url`, as written, cannot be the endpoint; `undefined`: it can, or that is known only once its references are resolved. */
export function problemWithServerUrl(url: string): string | undefined {
	const [scheme = 'https:'] = /^[a-z][a-z0-9+.-]*:/i.exec(url) ?? [];
	return hasReference(url) && /^https?:$/i.test(scheme) ? undefined : problemWithUrl(url);
}

/** Why `url` cannot be requested; `undefined`: it can. Does not repeat the URL. */
export function problemWithUrl(url: string): string | undefined {
	const parsed = URL.parse(url);
	if (!parsed || !/^https?:$/.test(parsed.protocol)) {
		return 'must be a URL that starts with http:// or https://';
	}

	return parsed.username + parsed.password === ''
		? undefined
		: 'must not hold a user name or a password: set "headers"';
}

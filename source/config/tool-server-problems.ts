import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {hasReference} from './references.ts';
import type {RawToolServer} from './tool-server-schema.ts';

/** What is wrong with an entry whose keys are sound by themselves, as a whole or at one of its keys. @see manual/tool-servers.md#settings */
export function problemsWithServer(server: RawToolServer): readonly UnplacedDiagnostic[] {
	return [
		...problemsWithEndpoint(server),
		...problemsWithCertificate(server),
		...problemsWithHeaders(Object.keys(server.headers ?? {})),
	];
}

function problemsWithEndpoint(given: RawToolServer): UnplacedDiagnostic[] {
	const {command, url, transport, auth, sandbox} = given;
	const isRemote = isWritten(url);
	if (isWritten(command) === isRemote) {
		const message = isRemote
			? 'has both "command" and "url": a server is one of the two'
			: 'needs "command" (a program) or "url" (a remote server)';
		return [{path: [], message}];
	}

	return [
		...(auth && !isRemote
			? [{path: ['auth'], message: 'is for remote servers: it needs "url"'}]
			: []),
		...(sandbox && isRemote
			? [{path: ['sandbox'], message: 'is for programs: it needs "command"'}]
			: []),
		...(transport && isRemote === (transport === 'stdio')
			? [{path: ['transport'], message: `does not fit to "${isRemote ? 'url' : 'command'}"`}]
			: []),
	];
}

const isWritten = (value: unknown): boolean => value !== undefined && value !== null;

function problemsWithCertificate({client_cert: cert, client_key: key}: RawToolServer) {
	const problems: UnplacedDiagnostic[] = [];
	if (Array.isArray(cert) && (![2, 3].includes(cert.length) || cert.slice(0, 2).includes(''))) {
		const message = 'must be a text, [certificate, key] or [certificate, key, password]';
		problems.push({path: ['client_cert'], message});
	}

	if (key && !cert) {
		problems.push({path: ['client_key'], message: 'needs "client_cert" beside it'});
	}

	if (key && Array.isArray(cert)) {
		problems.push({
			path: ['client_key'],
			message: 'stands beside a "client_cert" that is a list and names the key already',
		});
	}

	return problems;
}

function problemsWithHeaders(names: readonly string[]): UnplacedDiagnostic[] {
	const alike = Map.groupBy(names, name => name.toLowerCase());
	return [...alike.values()]
		.flatMap(([, ...others]) => others)
		.map(name => ({
			path: ['headers', name],
			message: 'stands twice: upper and lower case are the same here',
		}));
}

/** Why `url`, as it is written, cannot be the endpoint; `undefined`: it can, or only the expanded one can tell. */
export function problemWithServerUrl(url: string): string | undefined {
	const [scheme = 'https:'] = /^[a-z][a-z0-9+.-]*:/i.exec(url) ?? [];
	return hasReference(url) && /^https?:$/i.test(scheme) ? undefined : problemWithUrl(url);
}

/** Why `url` cannot be asked for; `undefined`: it can. Never holds it. */
export function problemWithUrl(url: string): string | undefined {
	const parsed = URL.parse(url);
	if (!parsed || !/^https?:$/.test(parsed.protocol)) {
		return 'must be a URL that starts with http:// or https://';
	}

	return parsed.username + parsed.password === ''
		? undefined
		: 'must not hold a user name or a password: set "headers"';
}

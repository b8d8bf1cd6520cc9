import {createPrivateKey} from 'node:crypto';
import {resolve} from 'node:path';
import {createSecureContext, type SecureContext} from 'node:tls';
import {variable} from '../../config/environment.ts';
import {readTextFile} from '../../config/text-files.ts';
import type {RemoteEndpoint} from '../../config/tool-server.ts';
import {codeOf} from '../../core/errors.ts';
import {orElse} from '../../core/or-else.ts';
import {ConnectError, permanent} from './connect-error.ts';
import {networkVerdict, wrongPassword} from './failure-codes.ts';
import type {TransportParts} from './transport-parts.ts';

const maxPemBytes = 4 * 1024 * 1024;

export type ContextOptions = {
	readonly secureContext: SecureContext;
	readonly rejectUnauthorized: boolean;
};

/**
 * Reads a server's certificate files. `~/` is the user's home. Synchronous; the system's CAs are read once, on first use.
 *
 * @throws ConnectError `MCP server '<name>': client_cert not found at …` and the like.
 * @see manual/tool-servers.md#settings; manual/tool-servers.md#states
 */
export function readTls(
	name: string,
	{verify, client}: RemoteEndpoint['tls'],
	{environment, authorities}: Pick<TransportParts, 'environment' | 'authorities'>,
) {
	const fail = (text: string, cause?: unknown) =>
		new ConnectError(permanent(`MCP server '${name}': ${text}`), {cause});

	const read = (key: string, path: string) => {
		const file = resolve(path.replace(/^~(?=\/|$)/, variable(environment, 'HOME') ?? '~'));
		let text: string | undefined;
		try {
			text = readTextFile(file, maxPemBytes);
		} catch (error) {
			throw fail(`${key} cannot be read at ${file}`, error);
		}

		if (text === undefined) {
			throw fail(`${key} not found at ${file}`);
		}

		if (!text.includes('-----BEGIN ')) {
			throw fail(`${key} at ${file} is no PEM file`);
		}

		return text;
	};

	const ca = typeof verify === 'string' ? read('ssl_verify', verify) : undefined;
	const cert = client && read('client_cert', client.cert);
	const key = client && (client.key === undefined ? cert : read('client_key', client.key));
	if (key !== undefined && isLocked(key) && !opens(key, client?.password)) {
		throw fail(wrongPassword);
	}

	const make = (isEndpoint: boolean): SecureContext => {
		try {
			return createSecureContext({
				ca: ca ?? authorities.all(),
				...(isEndpoint && cert !== undefined && {cert}),
				...(isEndpoint && key !== undefined && {key}),
				...(isEndpoint && client?.password !== undefined && {passphrase: client.password}),
			});
		} catch (error) {
			const verdict = networkVerdict(codeOf(error));
			throw fail(verdict?.message ?? 'client_cert, its key or the CA bundle cannot be used', error);
		}
	};

	const isPlain = ca === undefined && cert === undefined;
	const endpoint = isPlain ? undefined : make(true);
	const others = cert === undefined ? endpoint : ca === undefined ? undefined : make(false);
	return {
		/** For the server itself: with the client certificate, and without verification if disabled. */
		endpoint: (): ContextOptions => ({
			secureContext: endpoint ?? authorities.context(),
			rejectUnauthorized: verify !== false,
		}),
		/** For other hosts, such as authorization servers: always verified, without client certificate. */
		others: (): ContextOptions => ({
			secureContext: others ?? authorities.context(),
			rejectUnauthorized: true,
		}),
	};
}

const isLocked = (pem: string) =>
	/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/.test(pem);

/**
 * Whether a passphrase decrypts the key. Checked separately, because one wrong passphrase in 256 leaves valid padding: decryption then succeeds, and parsing the
 * garbage fails with a code that does not mention a passphrase.
 */
const opens = (key: string, passphrase = ''): boolean =>
	orElse(() => createPrivateKey({key, passphrase}) !== undefined, false);

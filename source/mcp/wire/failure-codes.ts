import {unknownAuthorityCodes} from '../../core/network-variables.ts';
import {passing, permanent} from './connect-error.ts';
import type {ConnectFailure} from './open-transport.ts';

type Verdict = readonly [message: string, kind: ConnectFailure['kind'] | 'cut-off'];

/** `cut-off`: the connection broke; the meaning depends on whether it was established. */
type CodeVerdict = {readonly message: string; readonly kind: Verdict[1]};

const unknownCa: Verdict = [
	'Its certificate was not issued by a known authority: set tls.ca, or ssl_verify of this server, to the PEM file of its CA',
	'permanent',
];

const unreachable = (what: string): Verdict => [`It cannot be reached: ${what}`, 'passing'];

export const wrongPassword = 'The password of client_cert is missing, or does not fit its key';

/** Explains codes of Node, OpenSSL and undici to the person who configured a remote server. */
const verdicts: Readonly<Record<string, Verdict>> = {
	ECONNREFUSED: unreachable('nothing listens there (connection refused)'),
	ENOTFOUND: unreachable('its host name is not known'),
	EAI_AGAIN: unreachable('its host name cannot be looked up at present'),
	EHOSTUNREACH: unreachable('no way to its host'),
	ENETUNREACH: unreachable('no network'),
	ETIMEDOUT: unreachable('no answer from its host'),
	UND_ERR_CONNECT_TIMEOUT: unreachable('no answer from its host'),
	UND_ERR_HEADERS_TIMEOUT: ['It did not answer in time', 'passing'],
	UND_ERR_BODY_TIMEOUT: ['It stopped in the middle of an answer', 'cut-off'],
	ECONNRESET: ['It closed the connection', 'cut-off'],
	EPIPE: ['It closed the connection', 'cut-off'],
	UND_ERR_SOCKET: ['It closed the connection', 'cut-off'],
	UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['Its answer broke off', 'cut-off'],
	UND_ERR_PRX_TLS: ['The TLS connection to the proxy failed', 'passing'],
	UND_ERR_ABORTED: ['The proxy refused the connection', 'permanent'],
	...Object.fromEntries(unknownAuthorityCodes.map(code => [code, unknownCa] as const)),
	CERT_HAS_EXPIRED: ['Its certificate has expired', 'permanent'],
	CERT_NOT_YET_VALID: ['Its certificate is not valid yet', 'permanent'],
	CERT_REVOKED: ['Its certificate has been revoked', 'permanent'],
	ERR_TLS_CERT_ALTNAME_INVALID: ['Its certificate is for another host', 'permanent'],
	ERR_OSSL_BAD_DECRYPT: [wrongPassword, 'permanent'],
	ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED: [
		'The key of client_cert needs a password',
		'permanent',
	],
	ERR_OSSL_X509_KEY_VALUES_MISMATCH: [
		'client_cert and its key do not belong together',
		'permanent',
	],
	ERR_SSL_WRONG_VERSION_NUMBER: [
		'It does not speak TLS on this port: is its URL meant to begin with http://',
		'permanent',
	],
	EPROTO: ['The TLS handshake failed', 'permanent'],
};

const refusedCertificate: Verdict = [
	'It refused our TLS certificate, or wants one: set client_cert',
	'permanent',
];

/** The meaning of a code; `undefined` if it does not concern the network. */
export function networkVerdict(code: string): CodeVerdict | undefined {
	const [message, kind] =
		(Object.hasOwn(verdicts, code) ? verdicts[code] : undefined) ?? byFamily(code) ?? [];
	return message === undefined || kind === undefined ? undefined : {message, kind};
}

const noRoom = passing('The system has no room for its process at present');

/** Why a command could not be started; `undefined` for other codes. The command is quoted as written. */
export function spawnFailure(code: string, command: string): ConnectFailure | undefined {
	const place = command.includes('/') ? 'is not there' : 'was not found in its PATH';
	const failures: Readonly<Record<string, ConnectFailure>> = {
		ENOENT: permanent(`Command "${command}" ${place}`),
		EACCES: permanent(`Command "${command}" may not be executed`),
		ENOEXEC: permanent(`Command "${command}" is no program`),
		EFTYPE: permanent(`Command "${command}" is no program`),
		E2BIG: permanent('Its arguments and environment are too long'),
		ERR_INVALID_ARG_VALUE: permanent('Its command, args or env hold a NUL character'),
		EAGAIN: noRoom,
		EMFILE: noRoom,
		ENFILE: noRoom,
		ENOMEM: noRoom,
	};
	return Object.hasOwn(failures, code) ? failures[code] : undefined;
}

function byFamily(code: string): Verdict | undefined {
	if (/^ERR_SSL_.*ALERT/.test(code)) {
		return refusedCertificate;
	}

	if (code.startsWith('ERR_OSSL_')) {
		return ['client_cert, its key or the CA bundle cannot be read as PEM', 'permanent'];
	}

	if (/^(?:ERR_SSL_|ERR_TLS_)/.test(code)) {
		return ['The TLS handshake failed', 'permanent'];
	}

	return code.startsWith('HPE_') ? ['It does not answer with HTTP', 'permanent'] : undefined;
}

/** Codes within the text of an error that lost its cause, as those of EventSource. */
export const codeInText = (text: string): string | undefined =>
	/\b(?:E[A-Z]{4,}|UND_ERR_[A-Z_]+|ERR_(?:SSL|TLS|OSSL)_[A-Z0-9_]+)\b/.exec(text)?.[0] ??
	(/other side closed|terminated/.test(text) ? 'UND_ERR_SOCKET' : undefined);

import {X509Certificate} from 'node:crypto';
import {resolve} from 'node:path';
import {createSecureContext, getCACertificates, type SecureContext} from 'node:tls';
import {messageOf} from '../core/errors.ts';
import type {Logger} from '../core/log.ts';
import {orElse} from '../core/or-else.ts';
import type {Config} from './config.ts';
import {type Environment, variable} from './environment.ts';
import {stampOf, readTextFile} from './text-files.ts';

const maxPemBytes = 4 * 1024 * 1024;

const certificate =
	/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]+-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/** Variables that other programs read as well, with the path of a certificate file. */
const fileVariables = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'] as const;

/** The certificate authorities trusted for TLS connections to models, remote tool servers and mail. */
export type Authorities = ReturnType<typeof createAuthorities>;

/**
 * The certificate authorities of Node, of the system, of `tls.ca`, and of `SSL_CERT_FILE` and `NODE_EXTRA_CA_CERTS` (the profile's `.env` overrides the process). Files are
 * read when a connection first needs them, and again after a change. A file that cannot be read, or has no certificate, is logged once and left out.
 *
 * @see manual/configuration.md#certificates
 */
export function createAuthorities(
	config: () => Pick<Config, 'tls' | 'environment'> & {readonly paths: {readonly home: string}},
	{log}: {readonly log: Logger},
) {
	let known: (Known & {readonly key: string}) | undefined;

	const current = () => {
		const {tls, environment, paths} = config();
		const files = filesOf({tls, environment, home: paths.home});
		if (files.length === 0) {
			return ownAuthorities();
		}

		const key = JSON.stringify(files.map(({path}) => [path, stampOf(path).stamp]));
		if (known?.key !== key) {
			known = {key, all: [...new Set([...ownAuthorities().all, ...files.flatMap(read)])]};
		}

		return known;
	};

	const read = ({path, name}: CertificateFile): readonly string[] => {
		const warn = (problem: string) => {
			log.warn(`Certificates of ${name} are left out: ${problem}`, {path});
		};
		try {
			const text = readTextFile(path, maxPemBytes);
			if (text === undefined) {
				warn('there is no such file');
				return [];
			}

			const all = text.match(certificate) ?? [];
			const usable = all.filter(isUsable);
			if (all.length === 0 || usable.length < all.length) {
				warn(
					all.length === 0
						? 'it is no PEM file with certificates'
						: `${all.length - usable.length} of ${all.length} cannot be read`,
				);
			}

			return usable;
		} catch (error) {
			warn(messageOf(error));
			return [];
		}
	};

	return {
		/** Certificates as PEM texts: of Node, of the system, and configured ones. */
		all: (): string[] => current().all,
		/** The default context for connections; the same object until a file changes. */
		context(): SecureContext {
			const now = current();
			now.context ??= createSecureContext({ca: now.all});
			return now.context;
		},
	};
}

type CertificateFile = {
	readonly path: string;
	/** The setting or variable that names the file. */
	readonly name: string;
};

function filesOf(
	given: Pick<Config, 'tls'> & {
		readonly environment: Environment;
		readonly home: string;
	},
): readonly CertificateFile[] {
	const {tls, environment, home} = given;
	const user = variable(environment, 'HOME') ?? '~';
	return [
		...tls.ca.map(path => ({name: 'tls.ca', path})),
		...fileVariables.flatMap(name => {
			const path = variable(environment, name);
			return path ? [{name, path}] : [];
		}),
	].map(({name, path}) => ({name, path: resolve(home, path.replace(/^~(?=\/|$)/, user))}));
}

const isUsable = (text: string): boolean =>
	orElse(() => new X509Certificate(text).raw.length > 0, false);

type Known = {readonly all: string[]; context?: SecureContext};

let own: Known | undefined;

/**
 * The certificates that come with Node, those of the process's `NODE_EXTRA_CA_CERTS`, and those of the system. Reading hundreds of them and making their context is slow:
 * all profiles without certificate files of their own share this value.
 */
function ownAuthorities(): Known {
	own ??= {all: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])]};
	return own;
}

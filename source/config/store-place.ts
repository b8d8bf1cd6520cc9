import {randomUUID} from 'node:crypto';
import {readFileSync, readlinkSync} from 'node:fs';
import {hostname} from 'node:os';
import {SvcError} from '../core/errors.ts';
import {orElse} from '../core/or-else.ts';
import {checked, nonEmptyText} from '../core/schema-parts.ts';
import type {Config, GatewayConfig, HomePaths} from './config.ts';
import type {Environment} from './environment.ts';
import {readTextFile, writePrivateFile} from './text-files.ts';

/** The store of a single gateway: a file of its home. */
export const embeddedStore = 'sqlite';

/** The location of a store, and the name of this gateway in it. */
export type StorePlace = {
	/** `state.db` of the home; used unless there is a `url`. */
	readonly file: string;
	/** The URL of a PostgreSQL database, with its password. */
	readonly url?: string;
	readonly node: string;
};

/** The value of `gateway.store`. No message repeats it, since it may contain a password. */
export const storeText = checked(nonEmptyText, problemWithStore);

function problemWithStore(written: string): string | undefined {
	if (written === embeddedStore) {
		return undefined;
	}

	const url = URL.parse(written);
	if (!/^postgres(?:ql)?:\/\//.test(written) || !url) {
		return /^postgres(?:ql)?:/.test(written)
			? 'is no URL: write postgres://USER:PASSWORD@HOST/DATABASE, special characters of the password percent-encoded, or the password as a reference, as ${PGPASSWORD}'
			: 'must be "sqlite" or a URL that starts with postgres://';
	}

	if (url.hash !== '') {
		return 'has a "#", which ends a URL: in a password write %23, or the password as a reference, as ${PGPASSWORD}';
	}

	if ([url.username, url.password, url.hostname, url.pathname].some(part => !isEncoded(part))) {
		return 'has a "%" that begins no percent-encoding: in a password write %25, or the password as a reference, as ${PGPASSWORD}';
	}

	if (url.hostname === '' && !url.searchParams.get('host')) {
		return 'names no host: write postgres://USER:PASSWORD@HOST/DATABASE';
	}

	return /^\/[^/]+$/.test(url.pathname)
		? undefined
		: 'names no database: write postgres://USER:PASSWORD@HOST/DATABASE';
}

const isEncoded = (part: string): boolean =>
	orElse<string | undefined>(() => decodeURIComponent(part), undefined) !== undefined;

/** The secrets of a store: its password, decoded and as the URL has it. */
export function storeSecrets(store: string): readonly string[] {
	const url = URL.parse(store);
	const passwords = [url?.password ?? '', url?.searchParams.get('password') ?? ''];
	return passwords
		.filter(password => password !== '' && isEncoded(password))
		.flatMap(password => [...new Set([password, decodeURIComponent(password)])]);
}

/** Whether the gateway shares its store with others. */
export const isShared = ({store}: Pick<GatewayConfig, 'store'>): boolean => store !== embeddedStore;

/** The configured store. */
export function storePlaceOf({
	gateway,
	paths,
}: Pick<Config, 'gateway' | 'paths'>): StorePlace & {readonly broken?: string} {
	const {store, node = hostname(), broken} = gateway;
	return {
		file: paths.stateDb,
		...(isShared(gateway) && {url: store}),
		node,
		...(broken !== undefined && {broken}),
	};
}

/** Identifies the home that opens a database, and its location. */
export type HomeIdentity = {
	/** Identifier of the home, wherever it is stored: 36 characters. */
	readonly place: string;
	/** Host name and folder; on a second line boot and container. Of two processes with the same location at most one holds the lock of the home. */
	readonly location: string;
};

/** Most bytes that are read of the file of an identity. */
const maxIdentityBytes = 100;

/**
 * Reads the identity of a home, or creates it at first use. The caller holds the lock of the home.
 *
 * @throws SvcError `file_planted`, and what Node throws for a file that cannot be read or written
 */
export async function identifyHome({
	home,
	memberId,
}: Pick<HomePaths, 'home' | 'memberId'>): Promise<HomeIdentity> {
	const location = `${hostname()}:${home}\n${startOfHost()}`;
	const written = (readTextFile(memberId, maxIdentityBytes) ?? '').trim();
	if (/^[\da-f-]{36}$/.test(written)) {
		return {place: written, location};
	}

	const place = randomUUID();
	await writePrivateFile(memberId, `${place}\n`);
	return {place, location};
}

/** Distinguishes clones of a machine, and containers with the same name. Linux only; elsewhere empty. */
const startOfHost = (): string =>
	orElse(() => {
		const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
		return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
	}, '');

/** Tests whether a file may name a store; if not, it is not parsed, since completions must be quick. */
const mayName = /\bstore\b/;

const maxConfigBytes = 1024 * 1024;

/**
 * The store for a command without a gateway. An unreadable configuration means the file of the home, as for the gateway.
 *
 * @throws SvcError `journal_unavailable`: it says a store, but not one that can be opened
 */
export async function readStorePlace(
	paths: HomePaths,
	environment: Environment,
): Promise<StorePlace> {
	const own = storePlaceOf({gateway: {store: embeddedStore}, paths});
	if (!mayName.test(textOf(paths.config))) {
		return own;
	}

	const {loadConfig} = await import('./load-config.ts');
	const loaded = loadConfig({paths, environment});
	return loaded.ok ? usable(storePlaceOf(loaded.config)) : own;
}

/** @throws SvcError `journal_unavailable`: which store is meant cannot be told */
export function usable({broken, ...place}: ReturnType<typeof storePlaceOf>): StorePlace {
	if (broken !== undefined) {
		throw new SvcError('journal_unavailable', `Cannot open the store (gateway.store): ${broken}`);
	}

	return place;
}

const textOf = (file: string): string => orElse(() => readTextFile(file, maxConfigBytes) ?? '', '');

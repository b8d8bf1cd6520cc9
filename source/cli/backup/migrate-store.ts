import {existsSync, mkdirSync, readdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Config, HomePaths} from '../../config/config.ts';
import {
	defaultProfile,
	ensureHome,
	namePattern,
	profilePaths,
	profilesFolder,
} from '../../config/home-paths.ts';
import {resolveInUrl} from '../../config/references.ts';
import {storePlaceOf, storeText} from '../../config/store-place.ts';
import {writePrivateFile} from '../../config/text-files.ts';
import {codeOf, SvcError} from '../../core/errors.ts';
import {silentLogger} from '../../core/log.ts';
import {countOf} from '../../core/names.ts';
import {lockHome, refuseAnswered} from '../../gateway/control/lock.ts';
import {copyFiles} from '../../gateway/documents/import-files.ts';
import {openSharedDocuments, type SharedDocuments} from '../../gateway/documents/open-shared.ts';
import {changeStoreKey, holdsSealed} from '../../gateway/documents/strongbox.ts';
import type {CopyCounts, CopyProgress} from '../../store/migrate/copy-counts.ts';
import {openDocuments, type OpenedDocuments} from '../../store/postgres/open-documents.ts';
import type {Context} from '../console/context.ts';
import {printLines, tell} from '../console/print.ts';
import {usableConfig} from '../home/receiver-facts.ts';

/** How often the progress of a table is reported, in milliseconds. */
const sayMs = 1000;

/**
 * Re-encrypts the secrets in the configured database: reads them with the key in the variable `oldKey`, and writes them with `gateway.store_key`.
 *
 * @throws SvcError `store_key_wrong`, `store_in_use` while a gateway is a member, `document_changed`, `journal_unavailable`
 */
export async function changeKey(context: Context, oldKey: string): Promise<void> {
	const config = usableConfig(context);
	const {url} = storePlaceOf(config);
	const {storeKey} = config.gateway;
	const {environment} = config.profiles.of(defaultProfile);
	const from = environment[oldKey];
	if (url === undefined || storeKey === undefined || from === undefined) {
		throw new SvcError(
			'store_key_wrong',
			`Cannot change the key: ${from === undefined ? `the variable ${oldKey} is not set` : 'gateway.store must name the database, and gateway.store_key the new key'}`,
		);
	}

	await using store = await openDocuments(context, {url});
	await store.refuseMembers('change the key');
	const count = await changeStoreKey(store.documents, {from, to: storeKey});
	printLines(context, [
		`Encrypted the secrets of ${countOf(count, 'document')} with gateway.store_key: start the gateways with it`,
	]);
}

type Move = {
	/** The database's URL as written. */
	readonly url: string;
	readonly direction: 'from' | 'to';
	readonly dryRun: boolean;
};

/**
 * Copies everything that a cluster's gateways share between the files of a stopped home and a PostgreSQL database, in either direction. Says what to write into
 * `config.yaml`, which is not changed.
 *
 * @throws SvcError `gateway_running`, `store_url_invalid`, `store_not_empty`, `store_in_use`, `store_key_wrong`, `store_copy_incomplete`, …
 * @see manual/several-machines.md#move-a-home-there-and-back
 */
export async function migrateStore(context: Context, move: Move): Promise<void> {
	const paths = context.paths();
	const config = usableConfig(context);
	const url = databaseUrl(move, config);
	ensureHome(paths);
	using _ = await holdHome(paths);
	const counts = move.dryRun
		? await countOnly(paths, {...move, url})
		: await (move.direction === 'to' ? copyTo : copyFrom)(context, {config, url});
	const lines = [...counts].filter(([, count]) => count > 0);
	printLines(context, [
		...lines.map(([noun, count]) => `${String(count).padStart(9)} ${noun}`),
		...(move.dryRun
			? ['Nothing was copied (--dry-run): the same command without it copies', notCopied]
			: [
					`Copied ${move.direction === 'to' ? 'into' : 'from'} the database; nothing was removed`,
					...nextSteps(move, config),
				]),
	]);
}

const notCopied = 'The configuration, .env, scripts, skills, logs and cron/output are not copied';

const nextSteps = (
	{direction, url}: Move,
	{gateway: {storeKey}}: Pick<Config, 'gateway'>,
): readonly string[] =>
	direction === 'to'
		? [
				notCopied,
				'Write into config.yaml, and start the gateway:',
				'  gateway:',
				`    store: ${withoutPassword(url)}`,
				...(storeKey === undefined
					? [
							'    store_key: ${SVC_STORE_KEY}',
							'and into .env SVC_STORE_KEY=…, as "openssl rand -base64 32" makes it: without a key, secrets stand in the database as they are, and logins are not shared',
						]
					: []),
				'Each further member gets a home with the same config.yaml, .env, scripts and skills: svc help several-machines',
			]
		: ['Take gateway.store out of config.yaml, or write "store: sqlite", and start the gateway'];

/** @throws SvcError `store_url_invalid` */
function databaseUrl({url}: Move, config: Config): string {
	const {environment} = config.profiles.of(defaultProfile);
	const {text, unset} = resolveInUrl(url, environment);
	const [missing] = unset;
	const parsed = storeText.safeParse(text);
	if (missing !== undefined || !parsed.success || !text.startsWith('postgres')) {
		const reason =
			missing === undefined
				? (parsed.error?.issues[0]?.message ?? 'must be a URL that starts with postgres://')
				: `names $\{${missing}}, which is not set`;
		throw new SvcError('store_url_invalid', `Cannot use that database: the URL ${reason}`);
	}

	return text;
}

/** A password from the command line must not be suggested for `config.yaml`. */
function withoutPassword(written: string): string {
	return written
		.replace(/^([^:]+:\/\/[^:@/?#]*:)(?!\$\{\w+\}@)[^/?#]*@/, '$1${PGPASSWORD}@')
		.replaceAll(/([?&]password=)(?!\$\{\w+\}(?:&|$))[^&]+/g, '$1${PGPASSWORD}');
}

async function holdHome(paths: HomePaths): Promise<Disposable> {
	try {
		const lock = lockHome(paths);
		await refuseAnswered(paths);
		return lock;
	} catch (error) {
		throw codeOf(error) === 'gateway_running'
			? new SvcError(
					'gateway_running',
					`Cannot copy the store while a gateway runs for "${paths.home}": end it with "svc gateway stop"`,
					{cause: error},
				)
			: error;
	}
}

async function countOnly(
	{stateDb}: HomePaths,
	{url, direction}: Pick<Move, 'direction' | 'url'>,
): Promise<CopyCounts> {
	const {countPostgres, countSqlite} = await import('../../store/migrate/ends.ts');
	return direction === 'to' ? countSqlite(stateDb) : countPostgres(url);
}

type Task = {readonly config: Config; readonly url: string};

async function copyTo(context: Context, {config, url}: Task): Promise<CopyCounts> {
	const {copyToPostgres} = await import('../../store/migrate/copy-to-postgres.ts');
	const paths = context.paths();
	const documents = new Map<string, number>();
	const rows = await copyToPostgres(
		{clock: context.clock, file: paths.stateDb, url},
		{
			onProgress: progressOf(context),
			async complete() {
				await using store = await openDocuments(context, {url});
				await using shared = await followed(context, {config, store});
				for (const home of homesOf(paths)) {
					const own =
						home.profile === defaultProfile
							? shared.paths.shared
							: shared.paths.shared?.of(home.profile);
					// oxlint-disable-next-line no-await-in-loop -- one home after the other
					for (const [kind, count] of own ? await copyFiles(home, own, context) : []) {
						documents.set(`${kind}s`, (documents.get(`${kind}s`) ?? 0) + count);
					}
				}
			},
		},
	);
	return new Map([...rows, ...documents]);
}

/** The home, which may itself be a profile, and its profiles. */
function homesOf(paths: HomePaths): readonly HomePaths[] {
	const own = {...paths, profile: defaultProfile};
	try {
		const names = readdirSync(profilesFolder(paths.home)).filter(name => namePattern.test(name));
		return [own, ...names.map(name => profilePaths(paths, name))];
	} catch {
		return [own];
	}
}

async function copyFrom(context: Context, {config, url}: Task): Promise<CopyCounts> {
	const {copyToSqlite} = await import('../../store/migrate/copy-to-sqlite.ts');
	const paths = context.paths();
	await using store = await openDocuments(context, {url});
	await using shared = await followed(context, {config, store});
	const files = await filesOf(paths, {shared, store});
	const there = files.find(({path}) => existsSync(path));
	if (there) {
		throw new SvcError(
			'store_not_empty',
			`Cannot write "${there.path}": it is there, and is never written over. Move it away`,
		);
	}

	const rows = await copyToSqlite(
		{clock: context.clock, file: paths.stateDb, url},
		{
			onProgress: progressOf(context),
			async complete() {
				for (const {path, text} of files) {
					mkdirSync(dirname(path), {recursive: true, mode: 0o700});
					// oxlint-disable-next-line no-await-in-loop -- one file after the other
					await writePrivateFile(path, text);
				}
			},
		},
	);
	return new Map([...rows, ['files', files.length]]);
}

/** The rows' contents as the files of a home. @throws SvcError `store_key_wrong` for secrets that cannot be read */
async function filesOf(
	paths: HomePaths,
	{shared, store}: {readonly shared: SharedDocuments; readonly store: OpenedDocuments},
): Promise<ReadonlyArray<{readonly path: string; readonly text: string}>> {
	const kinds = ['subscription', 'job', 'token'] as const;
	const lists = await Promise.all(kinds.map(async kind => store.documents.list(kind)));
	const profiles = new Set(lists.flat().map(({profile}) => profile));
	return [...profiles].flatMap(profile => {
		const home = profile === defaultProfile ? paths : profilePaths(paths, profile);
		const of = shared.paths.shared?.of(profile);
		const has = (index: number) => lists[index]?.some(one => one.profile === profile);
		const tokens = (lists[2] ?? []).filter(one => one.profile === profile);
		const files = [
			...(has(0) ? [{path: home.subscriptions, text: of?.subscriptions.read() ?? ''}] : []),
			...(has(1) ? [{path: join(home.cron, 'jobs.json'), text: of?.jobs.read() ?? ''}] : []),
			...tokens.map(({name}) => ({
				path: join(home.mcpTokens, name),
				text: of?.logins?.read(name) ?? '',
			})),
		];
		const sealed = files.find(({text}) => text === '' || holdsSealed(JSON.parse(text)));
		if (sealed) {
			throw new SvcError(
				'store_key_wrong',
				`Cannot write "${sealed.path}": secrets in the database are encrypted with another gateway.store_key than the one that config.yaml has`,
			);
		}

		return files;
	});
}

async function followed(
	context: Context,
	{config, store}: {readonly config: Config; readonly store: OpenedDocuments},
): Promise<SharedDocuments> {
	const shared = openSharedDocuments(
		{clock: context.clock, log: silentLogger, paths: context.paths()},
		{name: store.name},
	);
	await shared.follow(store, {storeKey: config.gateway.storeKey});
	return shared;
}

/** Reports a copy's progress on stderr: at the start and the end of each table, and once a second. */
function progressOf(context: Context): (progress: CopyProgress) => void {
	let said = {noun: '', at: Number.NEGATIVE_INFINITY};
	return ({noun, copied, all}) => {
		const at = context.clock.monotonic();
		if (noun !== said.noun || copied >= all || at - said.at >= sayMs) {
			said = {noun, at};
			tell(context, `${copied} of ${all} ${noun}`);
		}
	};
}

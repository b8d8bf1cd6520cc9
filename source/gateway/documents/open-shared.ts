import type {Config, HomePaths} from '../../config/config.ts';
import {readStorePlace} from '../../config/store-place.ts';
import {every} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {Sealer} from '../../core/seal.ts';
import type {Store} from '../../store/port.ts';
import type {RoomWorld} from '../rooms.ts';
import {createDocumentMirror, type DocumentStore} from './document-mirror.ts';
import {createFileImport} from './import-files.ts';
import {createSharedHome} from './shared-home.ts';
import {hasPlain, sealPlain} from './strongbox.ts';

/** How often svc looks for files to import, milliseconds. */
const importMs = 1000;

/** What a gateway shares with the others on its store in place of files of its home. */
export type SharedDocuments = ReturnType<typeof openSharedDocuments>;

/** The same for a home whose store others share, or may share, by its configuration; `undefined`: its files count. */
export async function shareGatewayHome(
	world: Pick<RoomWorld, 'clock' | 'environment' | 'log' | 'paths'>,
): Promise<SharedDocuments | undefined> {
	try {
		const {url} = await readStorePlace(world.paths, world.environment);
		return url === undefined ? undefined : openSharedDocuments(world);
	} catch {
		// Which store is meant is unknown: files must not be written meanwhile.
		return openSharedDocuments(world);
	}
}

/** Prepares what a home shares; nothing can be read before `follow`. */
export function openSharedDocuments(
	{clock, log, paths}: Pick<RoomWorld, 'clock' | 'log' | 'paths'>,
	{
		name = 'the shared store',
	}: {
		/** Of the database, without a secret. */
		readonly name?: string;
	} = {},
) {
	const stack = new AsyncDisposableStack();
	let key: string | undefined;
	const mirror = stack.use(
		createDocumentMirror({
			clock,
			name,
			storeKey: () => key,
			onProblem(problem) {
				if (problem === undefined) {
					log.info(`${name} is read again`);
				} else {
					log.warn(`Cannot read ${name}: ${problem}; what was read last stays in use`);
				}
			},
		}),
	);
	const shared = createSharedHome(mirror, {clock, name, sharesLogins: () => key !== undefined});
	let wasLocked = false;
	const warnOfLock = () => {
		const isLocked = mirror.strongbox?.state === 'locked';
		if (isLocked && !wasLocked) {
			log.error(
				`The secrets in ${name} are encrypted with ${key === undefined ? 'a key, and gateway.store_key is not set' : 'another key than gateway.store_key'}: routes whose secrets cannot be read are answered with 503, and no secret is written`,
			);
		}

		wasLocked = isLocked;
	};

	const documents = {
		/** The paths of the home, with what is shared. */
		paths: {...paths, shared} satisfies HomePaths,
		/** For a gateway whose store is open: follows it, and imports the files of the profiles that are served. A store that no other gateway has open has no documents. */
		async begin(
			{documents: stored, leases, events}: Pick<Store, 'documents' | 'events' | 'leases'>,
			config: () => Config,
		): Promise<void> {
			if (stored) {
				const {storeKey} = config().gateway;
				await documents.follow({documents: stored, leases, events}, {storeKey});
				await documents.importFiles(() => [
					documents.paths,
					...config().profiles.others.map(other => other.paths),
				]);
			}
		},
		/** Reads what there is, and follows it from now on. Resolves after the first look, also when that failed: it is tried again once a second. */
		async follow(
			store: DocumentStore,
			{storeKey}: {readonly storeKey: string | undefined},
		): Promise<void> {
			key = storeKey;
			mirror.subscribe(warnOfLock);
			const seal = async () => {
				const {strongbox} = mirror;
				if (strongbox?.state === 'open') {
					await sealPlain(store.documents, strongbox).catch((error: unknown) => {
						log.warn(`Cannot encrypt the secrets in ${name}: ${messageOf(error)}`);
					});
				}
			};

			await mirror.follow(store);
			warnOfLock();
			if (key === undefined && mirror.strongbox?.state === 'plain') {
				log.note(
					`There is no gateway.store_key: secrets of subscriptions stand in ${name} as they are, logins of tool servers are not shared, and a form of a run is filled in only at the gateway that works on it`,
				);
			}

			await seal();
			// A member without the key may have written it before it saw that there is one.
			mirror.subscribe(changes => {
				if (changes.some(({data, ...of}) => data !== undefined && hasPlain(of, data))) {
					void seal();
				}
			});
		},
		/** Says why nothing can be followed; reading then fails with this reason. */
		cannotFollow: (reason: string) => mirror.cannotFollow(reason),
		/** Imports files of the home and of the profiles that are served, now and when one appears. */
		async importFiles(profiles: () => readonly HomePaths[]): Promise<void> {
			const files = createFileImport({clock, log, profiles});
			await files.look();
			stack.defer(every(clock, importMs, async () => files.look()));
		},
		/** Encrypts what members tell each other; `undefined` without a `gateway.store_key` that fits. */
		sealer: (): Sealer | undefined => mirror.strongbox?.sealer,
		/** Calls `listener`, which must not throw, when subscriptions or jobs were changed. */
		onChange(listener: (kind: 'job' | 'subscription') => void): void {
			mirror.subscribe(changes => {
				for (const kind of ['subscription', 'job'] as const) {
					if (changes.some(change => change.kind === kind || change.kind === 'lock')) {
						listener(kind);
					}
				}
			});
		},
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
	return documents;
}

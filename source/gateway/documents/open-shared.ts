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

/** How often files to import are looked for, milliseconds. */
const importMs = 1000;

/** What a gateway keeps in its shared store instead of in files of its home. */
export type SharedDocuments = ReturnType<typeof openSharedDocuments>;

/** Opens the shared documents if the configured store is, or may be, shared; `undefined` when the files of the home are used. */
export async function shareGatewayHome(
	world: Pick<RoomWorld, 'clock' | 'environment' | 'log' | 'paths'>,
): Promise<SharedDocuments | undefined> {
	try {
		const {url} = await readStorePlace(world.paths, world.environment);
		return url === undefined ? undefined : openSharedDocuments(world);
	} catch {
		// The configured store is unknown: meanwhile no files may be written.
		return openSharedDocuments(world);
	}
}

/** Prepares the shared documents of a home; nothing can be read before `follow`. */
export function openSharedDocuments(
	{clock, log, paths}: Pick<RoomWorld, 'clock' | 'log' | 'paths'>,
	{
		name = 'the shared store',
	}: {
		/** Name of the database, without secrets. */
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
		/** The paths of the home, with the shared documents. */
		paths: {...paths, shared} satisfies HomePaths,
		/**
		 * For a gateway whose store is open: follows its documents, and imports the files of the served profiles. Does nothing on a store that is not shared, which has no documents.
		 */
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
		/** Reads the documents and follows their changes. Resolves after the first poll, even if it failed: polling repeats once a second. */
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
			// A member without the key may write a plain secret before it sees that there is a key.
			mirror.subscribe(changes => {
				if (changes.some(({data, ...of}) => data !== undefined && hasPlain(of, data))) {
					void seal();
				}
			});
		},
		/** Sets the reason why nothing is followed; reading then fails with it. */
		cannotFollow: (reason: string) => mirror.cannotFollow(reason),
		/** Imports files of the home and of the served profiles, now and whenever one appears. */
		async importFiles(profiles: () => readonly HomePaths[]): Promise<void> {
			const files = createFileImport({clock, log, profiles});
			await files.look();
			stack.defer(every(clock, importMs, async () => files.look()));
		},
		/** Encrypts calls between members; `undefined` without a `gateway.store_key` that fits. */
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

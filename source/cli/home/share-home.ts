import type {HomePaths} from '../../config/config.ts';
import {basePaths, defaultProfile} from '../../config/home-paths.ts';
import {loadConfig} from '../../config/load-config.ts';
import type {SharedHome} from '../../config/shared-home.ts';
import {storePlaceOf} from '../../config/store-place.ts';
import {messageOf} from '../../core/errors.ts';
import {silentLogger} from '../../core/log.ts';
import {openSharedDocuments} from '../../gateway/documents/open-shared.ts';
import {databaseName} from '../../store/postgres/connection.ts';
import type {OpenedDocuments} from '../../store/postgres/open-documents.ts';
import type {Context} from '../console/context.ts';

/** What a command shares with gateways while it runs. */
export type OpenedShare = AsyncDisposable & {readonly shared: SharedHome};

/**
 * Opens what a command's home shares with other gateways in place of files, if a database is configured: by its own configuration, or by that of the home above
 * which serves its profile. `undefined`: files are used. An unreachable database is reported by the first read or write.
 */
export async function shareHome(
	paths: HomePaths,
	{clock, environment}: Pick<Context, 'clock' | 'environment'>,
): Promise<OpenedShare | undefined> {
	const found = findDatabase(paths, environment);
	if (!found) {
		return undefined;
	}

	const {url, storeKey, profile} = found;
	await using stack = new AsyncDisposableStack();
	let store: OpenedDocuments | undefined;
	let reason = '';
	try {
		const {openDocuments} = await import('../../store/postgres/open-documents.ts');
		store = stack.use(await openDocuments({clock}, {url}));
	} catch (error) {
		reason = messageOf(error);
	}

	// Disposed of before the store: a query during the store's closing would never end.
	const documents = stack.use(
		openSharedDocuments({clock, log: silentLogger, paths}, {name: databaseName(url)}),
	);
	if (store) {
		await documents.follow(store, {storeKey});
	} else {
		documents.cannotFollow(reason);
	}

	const {shared} = documents.paths;
	const opened = stack.move();
	return (
		shared && {
			shared: shared.of(profile),
			[Symbol.asyncDispose]: () => opened.disposeAsync(),
		}
	);
}

type Found = {
	readonly url: string;
	readonly storeKey: string | undefined;
	readonly profile: string;
};

function findDatabase(paths: HomePaths, environment: Context['environment']): Found | undefined {
	const base = basePaths(paths);
	const homes = [
		{at: paths, profile: defaultProfile},
		...(base ? [{at: base, profile: paths.profile}] : []),
	];
	for (const {at, profile} of homes) {
		const loaded = loadConfig({paths: at, environment});
		if (loaded.ok && (at === paths || loaded.config.multiplexProfiles)) {
			const {url} = storePlaceOf(loaded.config);
			if (url !== undefined) {
				return {url, profile, storeKey: loaded.config.gateway.storeKey};
			}
		}
	}

	return undefined;
}

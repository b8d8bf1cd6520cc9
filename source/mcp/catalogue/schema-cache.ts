import {mkdir} from 'node:fs/promises';
import {dirname} from 'node:path';
import {readTextFile} from '../../config/read-text-file.ts';
import {writePrivateFile} from '../../config/write-private-file.ts';
import {messageOf} from '../../core/errors.ts';
import {withFileLock} from '../../core/file-lock.ts';
import {isJsonObject} from '../../core/json.ts';
import type {Logger} from '../../core/log.ts';
import {createMutex} from '../../core/mutex.ts';
import type {World} from '../../core/world.ts';
import {type CachedServer, parseCachedServer} from './cached-server.ts';

/** What the servers of one profile said when they were last connected, between two starts of the program. */
export type SchemaCache = {
	/** Whatever is known of a server, fresh or not. */
	get(name: string): CachedServer | undefined;
	/** Keeps what a server said, on disk too. Never rejects: what cannot be written is logged, and asked for again at the next start. */
	put(name: string, server: CachedServer): Promise<void>;
};

const formatVersion = 1;
const maxServers = 200;
const maxFileBytes = 64 * 1024 * 1024;
const lockWaitMs = 5000;

/**
 * Opens `cache/mcp_schema_cache.json`. Entries that are broken, and a file that is, are left out with a warning: the servers connect at the start then.
 * Other processes may write to the file, too: each entry is put in under a lock, into what the file holds at that moment.
 *
 * @see manual/tool-servers.md#states
 */
export function openSchemaCache({
	path,
	log,
	clock,
}: Pick<World, 'clock' | 'log'> & {readonly path: string}): SchemaCache {
	const servers = new Map(read(path, log));
	const oneByOne = createMutex();

	const write = async (name: string, server: CachedServer) => {
		try {
			await mkdir(dirname(path), {recursive: true, mode: 0o700});
			await withFileLock(
				`${path}.lock`,
				async () => {
					const present = new Map(read(path, log));
					present.delete(name);
					present.set(name, server);
					const kept = [...present].slice(-maxServers);
					const text = JSON.stringify({
						version: formatVersion,
						servers: Object.fromEntries(kept),
					});
					await writePrivateFile(path, `${text}\n`);
				},
				{waitMs: lockWaitMs, clock},
			);
		} catch (error) {
			log.warn('Cannot keep the list of tools of a server', {
				server: name,
				error: messageOf(error),
			});
		}
	};

	return {
		get: name => servers.get(name),
		async put(name, server) {
			servers.set(name, server);
			await oneByOne(async () => write(name, server));
		},
	};
}

function read(path: string, log: Logger): ReadonlyArray<readonly [string, CachedServer]> {
	const ignore = (error: string): readonly [] => {
		log.warn('The cache of tool servers is ignored', {file: path, error});
		return [];
	};

	let content: unknown;
	try {
		const text = readTextFile(path, maxFileBytes);
		if (text === undefined) {
			return [];
		}

		content = JSON.parse(text);
	} catch (error) {
		return ignore(error instanceof SyntaxError ? 'it is no JSON' : messageOf(error));
	}

	if (!isJsonObject(content) || content['version'] !== formatVersion) {
		return ignore('it has another format');
	}

	const servers = content['servers'];
	return isJsonObject(servers)
		? Object.entries(servers).flatMap(([name, value]) => {
				const server = parseCachedServer(value);
				return server ? [[name, server] as const] : ignore(`the entry "${name}" is broken`);
			})
		: ignore('it has another format');
}

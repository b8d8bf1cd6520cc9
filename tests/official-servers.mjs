import {existsSync, rmSync, statSync, symlinkSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {build} from 'rolldown';

const lock = resolve('package-lock.json');

const isThere = path => existsSync(path) && statSync(path).mtimeMs >= statSync(lock).mtimeMs;

/**
 * The official tool servers, each in a file or a few: tests start them some hundred times, and half of what a start takes is finding and compiling
 * the hundred files that they consist of. `officialProgram` says where they are.
 */
export async function bundleOfficialServers() {
	for (const name of ['everything', 'filesystem', 'memory']) {
		const folder = resolve('node_modules/.cache/servers', name);
		const source = resolve('node_modules/@modelcontextprotocol', `server-${name}`);
		if (isThere(join(folder, 'dist/index.mjs'))) {
			continue;
		}

		rmSync(folder, {recursive: true, force: true});
		await build({
			input: join(source, 'dist/index.js'),
			platform: 'node',
			logLevel: 'silent',
			output: {
				dir: join(folder, 'dist'),
				format: 'esm',
				entryFileNames: 'index.mjs',
				chunkFileNames: '[name].mjs',
			},
		});
		// What one of them reads, from a folder beside the one that it is in.
		const docs = join(source, 'dist/docs');
		if (existsSync(docs)) {
			symlinkSync(docs, join(folder, 'docs'));
		}
	}
}

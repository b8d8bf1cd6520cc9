import {existsSync, rmSync, statSync, symlinkSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {build} from 'rolldown';

const lock = resolve('package-lock.json');

const isThere = path => existsSync(path) && statSync(path).mtimeMs >= statSync(lock).mtimeMs;

/** Packages of whoever makes the protocol: by name, and what they read from a folder beside the one that they are in. */
const programs = {
	everything: {from: 'server-everything', reads: ['dist/docs', 'docs']},
	filesystem: {from: 'server-filesystem'},
	memory: {from: 'server-memory'},
	conformance: {from: 'conformance', reads: ['requirements', 'requirements']},
};

/**
 * The official tool servers and the official suite, each in a file or a few: tests start them some hundred times, and half of what a start takes is finding and
 * compiling the hundred files that they consist of. `officialProgram` says where they are.
 */
export async function bundleOfficialPrograms() {
	for (const [name, {from, reads}] of Object.entries(programs)) {
		const folder = resolve('node_modules/.cache/official', name);
		const source = resolve('node_modules/@modelcontextprotocol', from);
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
		if (reads) {
			symlinkSync(join(source, reads[0]), join(folder, reads[1]));
		}
	}
}

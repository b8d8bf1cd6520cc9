import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {isAbsolute, join, resolve} from 'node:path';
import {build} from 'rolldown';

/**
 * A program of the tests with the sources that it imports in one file, so that each start of it compiles none of them; packages stay packages.
 * Returns the path of that file; disposing of it removes it.
 */
export async function bundleProgram(input: string): Promise<Disposable & {readonly path: string}> {
	// Below node_modules: packages are found from there.
	const parent = resolve('node_modules/.cache');
	mkdirSync(parent, {recursive: true});
	const dir = mkdtempSync(join(parent, 'program-'));
	await build({
		input,
		platform: 'node',
		logLevel: 'silent',
		external: id => !id.startsWith('.') && !isAbsolute(id),
		output: {dir, format: 'esm', entryFileNames: 'program.mjs', chunkFileNames: '[name].mjs'},
	});
	return {
		path: join(dir, 'program.mjs'),
		[Symbol.dispose]() {
			rmSync(dir, {recursive: true, force: true});
		},
	};
}

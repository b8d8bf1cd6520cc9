import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {build} from 'rolldown';

/**
 * A program of the tests with all that it imports in one file, or a few, as the product is: finding and compiling each of them again is most of
 * what a start takes.
 * Returns the path of that file; disposing of it removes it.
 */
export async function bundleProgram(input: string): Promise<Disposable & {readonly path: string}> {
	const parent = resolve('node_modules/.cache');
	mkdirSync(parent, {recursive: true});
	const dir = mkdtempSync(join(parent, 'program-'));
	await build({
		input,
		platform: 'node',
		logLevel: 'silent',
		transform: {define: {'process.env.NODE_ENV': '"production"'}},
		resolve: {alias: {'react-devtools-core': resolve('scripts/build/no-devtools.mjs')}},
		output: {dir, format: 'esm', entryFileNames: 'program.mjs', chunkFileNames: '[name].mjs'},
	});
	return {
		path: join(dir, 'program.mjs'),
		[Symbol.dispose]() {
			rmSync(dir, {recursive: true, force: true});
		},
	};
}

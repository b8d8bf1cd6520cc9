// The Ink of the tests is that of the bundle (scripts/build/patch-ink.mjs), which users run. It lays a frame out in half the time.
import {registerHooks} from 'node:module';
import {fileURLToPath} from 'node:url';
import {patchInk} from '../scripts/build/patch-ink.mjs';

const patch = patchInk();

registerHooks({
	load(url, context, next) {
		const source = url.startsWith('file:') ? patch.load(fileURLToPath(url)) : undefined;
		return source === undefined
			? next(url, context)
			: {format: 'module', source, shortCircuit: true};
	},
});

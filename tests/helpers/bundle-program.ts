import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import {basename, extname, join, resolve} from 'node:path';
import {build, type Plugin} from 'rolldown';
// @ts-expect-error -- part of the build, which is not typed
import {patchInk as untypedPatch} from '../../scripts/build/patch-ink.mjs';

const patchInk: () => Plugin = untypedPatch;

/** What a bundle was made of. */
type Made = {
	readonly folder: string;
	/** Time of the last change of each file, milliseconds. */
	readonly sources: ReadonlyArray<readonly [path: string, changedAt: number]>;
};

/**
 * A program of the tests with all that it imports in one file, or a few, as the product is: finding and compiling each of them again is most of
 * what a start takes. It is kept until one of its sources changes, so that what Node compiled of it is found, too. Returns the path of that file.
 */
export async function bundleProgram(input: string): Promise<string> {
	const parent = resolve('node_modules/.cache/programs');
	mkdirSync(parent, {recursive: true});
	const name = basename(input, extname(input));
	const index = join(parent, `${name}.json`);
	const old = readMade(index);
	if (old && isFresh(old)) {
		return entryOf(old);
	}

	const folder = mkdtempSync(join(parent, `${name}-`));
	const {output} = await build({
		input,
		platform: 'node',
		logLevel: 'silent',
		transform: {define: {'process.env.NODE_ENV': '"production"'}},
		resolve: {alias: {'react-devtools-core': resolve('scripts/build/no-devtools.mjs')}},
		plugins: [patchInk()],
		output: {dir: folder, format: 'esm', entryFileNames: entry, chunkFileNames: '[name].mjs'},
	});
	const files = output.flatMap(part => (part.type === 'chunk' ? part.moduleIds : []));
	const sources = [
		...files.filter(existsSync),
		resolve('package-lock.json'),
		resolve('scripts/build/patch-ink.mjs'),
	];
	const made: Made = {folder, sources: sources.map(path => [path, changedAt(path)])};
	// Another worker may have been quicker.
	const other = readMade(index);
	if (other && isFresh(other)) {
		rmSync(folder, {recursive: true});
		return entryOf(other);
	}

	writeFileSync(join(folder, 'made.json'), JSON.stringify(made));
	renameSync(join(folder, 'made.json'), index);
	if (old) {
		rmSync(old.folder, {recursive: true, force: true});
	}

	return entryOf(made);
}

const entry = 'program.mjs';

const entryOf = ({folder}: Made) => join(folder, entry);

const changedAt = (path: string) => statSync(path).mtimeMs;

const readMade = (index: string): Made | undefined =>
	existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')) : undefined;

const isFresh = (made: Made): boolean =>
	[[entryOf(made), 0] as const, ...made.sources].every(
		([path, at]) => existsSync(path) && (at === 0 || changedAt(path) === at),
	);

// @module-tag slow
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';

const manifestOf = (name: string): {readonly type?: string; readonly dependencies?: object} =>
	JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'));

const lateImports = readdirSync('source', {recursive: true, encoding: 'utf8'})
	.filter(file => /\.tsx?$/.test(file))
	.flatMap(file =>
		[
			...readFileSync(join('source', file), 'utf8').matchAll(
				/(?:const (.+) = await |return )import\('([a-z@][^':]*)'\)/g,
			),
		].map(([, names = '', name = '']) => ({file, names, name})),
	);

test('there are late imports of packages to look at', () => {
	expect(lateImports.map(({name}) => name)).toEqual(
		expect.arrayContaining(['ai', 'undici', 'chokidar']),
	);
});

test.for(lateImports.filter(({name}) => manifestOf(name).type !== 'module'))(
	'$file uses $name, in the old module format, through the one export that the bundle gives it',
	({names}) => {
		expect(names).toMatch(/^\{default: \w+\}$/);
	},
);

test('no large part of the program has a letter for which V8 would keep two bytes of each', () => {
	const files = readdirSync('build').filter(file => file.endsWith('.js'));
	const wide = files
		.map(file => ({file, text: readFileSync(join('build', file), 'utf8')}))
		.filter(({text}) => text.length > 20_000 && /[^\0-\xFF]/.test(text));

	expect(files.length).toBeGreaterThan(50);
	expect(wide.map(({file}) => file)).toEqual([]);
});

test('the package needs no other one: everything is inside the bundle', () => {
	const {dependencies} = JSON.parse(readFileSync('package.json', 'utf8'));
	expect(dependencies ?? {}).toEqual({});
});

/** Every file of the program that `file` loads when it is loaded. */
function loadedWith(file: string, known: Set<string> = new Set()): ReadonlySet<string> {
	if (!known.has(file)) {
		known.add(file);
		const text = readFileSync(join('source', file), 'utf8');
		for (const [, path = ''] of text.matchAll(/^import (?!type)[^;]*? from '(\.[^']+)'/gm)) {
			loadedWith(join(file, '..', path), known);
		}
	}

	return known;
}

test.for(['main.ts', 'gateway/open-rooms.ts', 'cli/run-command.ts'])(
	'%s loads nothing of tool servers: a gateway without any starts as quickly as before',
	file => {
		const loaded = [...loadedWith(file)];

		expect(loaded.length).toBeGreaterThan(0);
		expect(loaded.filter(path => path.startsWith('mcp/'))).toEqual([]);
	},
);

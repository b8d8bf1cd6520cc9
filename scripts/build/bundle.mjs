// One bundle, cut where the program uses import(), so that a command loads only what it needs. Everything is inside:
// what users install has no dependencies.
import {
	chmodSync,
	cpSync,
	existsSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {rolldown} from 'rolldown';
import {patchInk} from './patch-ink.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
// Beside the last build until it is whole: whoever runs that one keeps it.
const outdir = join(root, `build-${process.pid}`);
process.on('exit', () => rmSync(outdir, {recursive: true, force: true}));

/** What each module imports in any case, and what it may load later; by path. */
const modules = new Map();

const bundle = await rolldown({
	cwd: root,
	input: 'source/main.ts',
	platform: 'node',
	transform: {target: 'node24', define: {'process.env.NODE_ENV': '"production"'}},
	resolve: {
		alias: {
			'react-devtools-core': join(root, 'scripts/build/no-devtools.mjs'),
			pino: join(root, 'scripts/build/no-imap-extras.mjs'),
			socks: join(root, 'scripts/build/no-imap-extras.mjs'),
			// Its other form cannot be taken apart, and is three times as large.
			graphql: join(root, 'node_modules/graphql/index.mjs'),
		},
	},
	preserveEntrySignatures: false,
	// Modules that both faces need are in another chunk than those who would like to load them late.
	checks: {ineffectiveDynamicImport: false},
	plugins: [
		quickStart(),
		await madeAhead(),
		patchInk(),
		{
			name: 'modules',
			moduleParsed({id, importedIds, dynamicallyImportedIds}) {
				modules.set(id, {imports: importedIds, late: dynamicallyImportedIds});
			},
		},
	],
});
const {output} = await bundle.write({
	dir: outdir,
	format: 'esm',
	minify: true,
	// V8 keeps a text with one letter outside of Latin-1 in two bytes a letter.
	charset: 'ascii',
	comments: {legal: false},
	entryFileNames: '[name].js',
	chunkFileNames: 'chunk-[name]-[hash].js',
	codeSplitting: {groups: startGroups(), includeDependenciesRecursively: false},
});
await bundle.close();

for (const {fileName, code} of output) {
	// The option leaves templates with a tag alone, which might look at them as they are written. Here String.raw does.
	const escaped =
		code &&
		withoutFacades(code).replaceAll(/String\.raw`[^`]*`|[^\0-\x7F]/g, found =>
			found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
		);
	if (/\bimport[\w$\s{},*]*from ?"node:/.test(escaped ?? '')) {
		throw new Error(
			`Cannot bind the parts of Node in ${fileName}: an import of an unknown form is left`,
		);
	}

	if (escaped !== undefined && escaped !== code) {
		writeFileSync(join(outdir, fileName), escaped);
	}
}

// A thread, or a process in a sandbox, is a program of its own, in one small file: it shares no part with those above, and loads nothing of them.
const programs = {
	forward: 'source/tools/sandbox/forward.ts',
	'history-worker': 'source/store/history/worker.ts',
	'page-worker': 'source/tools/web/page/worker.ts',
	'file-helper': 'source/tools/file/helper/helper.ts',
};
for (const [name, path] of Object.entries(programs)) {
	const worker = await rolldown({
		cwd: root,
		input: {[name]: path},
		platform: 'node',
		transform: {target: 'node24', define: {'process.env.NODE_ENV': '"production"'}},
	});
	const written = await worker.write({
		dir: outdir,
		format: 'esm',
		minify: true,
		charset: 'ascii',
		comments: {legal: false},
		entryFileNames: '[name].js',
		codeSplitting: false,
	});
	await worker.close();
	output.push(...written.output);
}

const packages = new Set(
	output
		.flatMap(chunk => Object.keys(chunk.modules ?? {}))
		.flatMap(path => {
			const name = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
			return name ? [name[0]] : [];
		}),
);
const notices = [...packages].toSorted().map(folder => {
	const {name, version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
	return `${name} ${version} (${license})\n${licenseText(folder)}`;
});
writeFileSync(
	join(outdir, 'THIRD-PARTY-LICENSES.txt'),
	`Parts of these packages are inside the bundle.\n\n${notices.join('\n\n')}\n`,
);
writeFileSync(join(outdir, 'package.json'), '{"type": "module"}\n');

// The manual, which `svc help` shows.
cpSync(join(root, 'source', 'manual'), join(outdir, 'manual'), {
	recursive: true,
	filter: path => !/\.(?:json|ts)$/.test(path),
});

const entry = join(outdir, 'main.js');
const code = readFileSync(entry, 'utf8').replace(/^#!.*\n/, '');
// As source/core/program.ts has them, and says why.
writeFileSync(entry, `#!/usr/bin/env -S node --max-semi-space-size=8\n${code}`);
chmodSync(entry, 0o755);

// What people start.
const launcher = join(outdir, 'svc');
cpSync(join(root, 'source', 'svc.sh'), launcher);
chmodSync(launcher, 0o755);

const target = join(root, 'build');
const last = `${outdir}-last`;
if (existsSync(target)) {
	renameSync(target, last);
}

renameSync(outdir, target);
rmSync(last, {recursive: true, force: true});

// Linking a file costs a start half a millisecond, and every import() cuts the rest into smaller ones. What is started most is one file for each
// part that has to be there, and one for what several parts need, so that a command does not load a whole part for a few lines of it.
function startGroups() {
	const screenStarts = ['cli/start/open-interface.ts', 'tui/run-tui.tsx', 'gateway/gateway.ts'];
	const gatewayStart = 'gateway/open-rooms.ts';
	// What a gateway loads once it listens.
	const laterStart = 'gateway/open-works.ts';
	const partsOf = () => {
		const screen = reached(screenStarts.map(inSource));
		// The engine of the store is loaded by import(), and by every gateway at once.
		const gateway = reached(
			['cli/start/headless.ts', gatewayStart, 'store/open-sqlite-store.ts'].map(inSource),
		);
		const works = reached([inSource(laterStart)]);
		const config = reached([inSource('config/load-config.ts')]);
		const client = reached(
			[
				'cli/home/open-home.ts',
				'gateway/control/control-calls.ts',
				'gateway/commands/read-commands.ts',
				'store/open-store.ts',
				'store/sqlite-reader.ts',
				'core/approvals/why-not-covered.ts',
			].map(inSource),
		);
		const parts = new Set([...screenStarts, gatewayStart, laterStart].map(inSource));
		const commands = reached(
			[...modules]
				.filter(([id]) => id.startsWith(inSource('cli/')))
				.flatMap(([, {late}]) => late)
				.filter(id => !parts.has(id) && !id.startsWith(inSource('tui/'))),
		);
		// A module goes into the first that has it.
		return {
			// Small: it is compiled before the cache of compiled code is known.
			home: reached([inSource('config/home-paths.ts')]),
			command: reached([inSource('cli/run-command.ts')]),
			words: screen.intersection(client.union(config).union(gateway)),
			// A gateway without a screen does without the rest of `text`.
			lines: screen.intersection(commands).intersection(works.union(gateway)),
			text: screen.intersection(commands),
			schemas: client.intersection(config),
			// A gateway answers calls later than it starts: it does without the rest of `client`.
			journal: client.intersection(gateway),
			client,
			config,
			records: gateway.intersection(commands),
			screen,
			gateway,
			shared: works.intersection(commands),
			works,
		};
	};

	let parts;
	return [
		'home',
		'command',
		'words',
		'lines',
		'text',
		'schemas',
		'journal',
		'client',
		'config',
		'records',
		'screen',
		'gateway',
		'shared',
		'works',
	].map((name, index, {length}) => ({
		name,
		priority: length - index,
		test(id) {
			// Not before everything is parsed.
			parts ??= partsOf();
			return parts[name].has(id);
		},
	}));
}

/** These modules and all that they import in any case. */
function reached(ids) {
	const found = new Set(ids);
	for (const id of found) {
		for (const imported of modules.get(id)?.imports ?? []) {
			found.add(imported);
		}
	}

	return found;
}

function inSource(path) {
	return join(root, 'source', path);
}

// The layout engine fetches itself from a data URL when it finds a fetch, which takes 20 ms to load.
function quickStart() {
	return {
		name: 'quick-start',
		load: id =>
			id.endsWith('yoga-wasm-base64-esm.js')
				? `const fetch = undefined;\n${readFileSync(id, 'utf8')}`
				: undefined,
	};
}

// Importing a part of Node as a module reads all its exports, those too that load another part when they are read: WebSocket and with it fetch for
// node:http, streams for node:fs, the list of all flags for node:process. That is a tenth of a start.
function withoutFacades(text) {
	return text.replaceAll(
		/\bimport(?: (?<whole>[\w$]+))?,?(?:(?<names>\{[^}]*\})|\* ?as (?<all>[\w$]+))? ?from ?"(?<id>node:[\w/]+)";/g,
		(...found) => {
			const {whole, names, all, id} = found.at(-1);
			return [whole, all, names?.replaceAll(' as ', ':')]
				.filter(part => part !== undefined)
				.map(part => `const ${part}=process.getBuiltinModule("${id}");`)
				.join('');
		},
	);
}

// What is the same at every start, and takes long to make.
async function madeAhead() {
	const path = inSource('config/make-config-schema-json.ts');
	const {makeConfigSchemaJson} = await import(pathToFileURL(path).href);
	const text = makeConfigSchemaJson();
	return {
		name: 'made-ahead',
		load: id =>
			id === path
				? {
						code: `export const makeConfigSchemaJson = () => ${JSON.stringify(text)};`,
						moduleType: 'js',
					}
				: undefined,
	};
}

function licenseText(folder) {
	for (const file of ['LICENSE', 'LICENSE.md', 'license', 'LICENSE.txt', 'LICENCE', 'license.md']) {
		try {
			return readFileSync(join(folder, file), 'utf8').trim();
		} catch {
			// The next spelling.
		}
	}

	return '';
}

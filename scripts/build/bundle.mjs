// One bundle, split where the program uses import(), so that a command loads only what it needs. Everything is inside:
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
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
// Beside the last build until it is whole: whoever runs that one keeps it.
const outdir = join(root, `build-${process.pid}`);
process.on('exit', () => rmSync(outdir, {recursive: true, force: true}));

const {metafile} = await build({
	absWorkingDir: root,
	entryPoints: ['source/main.ts'],
	outdir,
	bundle: true,
	splitting: true,
	platform: 'node',
	format: 'esm',
	target: 'node24',
	minify: true,
	// Names of errors and functions appear in messages and stack traces.
	keepNames: false,
	chunkNames: 'chunk-[name]-[hash]',
	define: {'process.env.NODE_ENV': '"production"'},
	alias: {'react-devtools-core': './scripts/build/no-devtools.mjs'},
	// Packages in the old module format expect these names.
	banner: {
		js: [
			"import {createRequire as __createRequire} from 'node:module';",
			"import {fileURLToPath as __fileURLToPath} from 'node:url';",
			'const require = __createRequire(import.meta.url);',
			'const __filename = __fileURLToPath(import.meta.url);',
		].join(''),
	},
	legalComments: 'none',
	plugins: [{name: 'quick-start', setup: makeQuick}],
	metafile: true,
	logLevel: 'warning',
});

const packages = new Set(
	Object.keys(metafile.inputs).flatMap(path => {
		const name = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
		return name ? [name[0]] : [];
	}),
);
const notices = [...packages].toSorted().map(folder => {
	const {name, version, license} = JSON.parse(
		readFileSync(join(root, folder, 'package.json'), 'utf8'),
	);
	return `${name} ${version} (${license})\n${licenseText(join(root, folder))}`;
});
writeFileSync(
	join(outdir, 'THIRD-PARTY-LICENSES.txt'),
	`Parts of these packages are inside the bundle.\n\n${notices.join('\n\n')}\n`,
);
writeFileSync(join(outdir, 'package.json'), '{"type": "module"}\n');

// The manual, which `svc help` shows.
cpSync(join(root, 'source', 'manual'), join(outdir, 'manual'), {
	recursive: true,
	filter: path => !path.endsWith('.ts'),
});

const entry = join(outdir, 'main.js');
const code = readFileSync(entry, 'utf8').replace(/^#!.*\n/, '');
// As source/core/node-flags.ts has them, and says why.
writeFileSync(entry, `#!/usr/bin/env -S node --max-semi-space-size=8\n${code}`);
chmodSync(entry, 0o755);

const target = join(root, 'build');
const last = `${outdir}-last`;
if (existsSync(target)) {
	renameSync(target, last);
}

renameSync(outdir, target);
rmSync(last, {recursive: true, force: true});

// Both make Node load its fetch, which takes 20 ms of every start: importing node:http as a module reads all its exports,
// WebSocket among them; and the layout engine fetches itself from a data URL when it finds a fetch.
function makeQuick({onResolve, onLoad}) {
	onResolve({filter: /^node:http$/}, ({path, kind}) =>
		kind === 'import-statement' ? {path, namespace: 'quick'} : undefined,
	);
	onLoad({filter: /^node:http$/, namespace: 'quick'}, () => ({
		contents: "module.exports = process.getBuiltinModule('node:http');",
	}));
	onLoad({filter: /yoga-wasm-base64-esm\.js$/}, ({path}) => ({
		contents: `const fetch = undefined;\n${readFileSync(path, 'utf8')}`,
	}));
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

import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {expect, test} from 'vitest';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const from = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

/** What one scenario may take: the suite runs dozens of programs at once. */
const scenarioMs = 120_000;

// The requirements of both protocols that the contract names: what a client must pass to call itself one of that revision.
test.for(['2025-11-25', '2026-07-28'])(
	'the client passes all that the official suite requires for %s',
	{timeout: 240_000},
	async revision => {
		await using folder = await temporaryHome();
		const client = folder.file('client.mjs');
		await bundle(client);

		const {code, summary} = await run({
			requirements: revision,
			timeout: String(scenarioMs),
			command: `${process.execPath} ${client}`,
			'output-dir': folder.file('results'),
		});

		expect({code, summary}).toEqual({
			code: 0,
			summary: expect.stringContaining('✓ auth/scope-step-up'),
		});
	},
);

/** One file that starts quickly: each scenario starts the program anew. */
async function bundle(outfile: string): Promise<void> {
	await build({
		entryPoints: [from('client-program.ts')],
		outfile,
		bundle: true,
		platform: 'node',
		format: 'esm',
		target: 'node24',
		logLevel: 'warning',
		// Packages in the old module format expect these names.
		banner: {
			js: [
				"import {createRequire as __createRequire} from 'node:module';",
				'const require = __createRequire(import.meta.url);',
				'const __filename = import.meta.filename;',
				'const __dirname = import.meta.dirname;',
			].join(''),
		},
	});
}

/** Runs the suite with the Node that runs this test; older ones cannot start it. */
async function run(
	options: Readonly<Record<string, string>>,
): Promise<{readonly code: unknown; readonly summary: string}> {
	const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
	return new Promise(resolve => {
		execFile(
			process.execPath,
			[suite, 'client', ...args],
			{timeout: 200_000, maxBuffer: 64 * 1024 * 1024},
			(error, stdout, stderr) => {
				const [, summary] = stdout.split('=== SUITE SUMMARY ===');
				resolve({code: error ? error.code : 0, summary: summary ?? stderr.slice(-2000)});
			},
		);
	});
}

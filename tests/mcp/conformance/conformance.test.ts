import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {captureConsole} from '../../../source/core/capture-console.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {serveClient} from './serve-client.ts';

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

/** What one scenario may take: the suite goes through dozens at once. */
const scenarioMs = 120_000;

// The requirements of both protocols that the contract names: what a client must pass to call itself one of that revision.
test.for(['2025-11-25', '2026-07-28'])(
	'the client passes all that the official suite requires for %s',
	{timeout: 240_000},
	async revision => {
		await using folder = await temporaryHome();
		await using client = await serveClient(folder);
		// The SDK's, of tools that it leaves out.
		using _ = captureConsole(() => {});

		const {code, summary} = await run({
			requirements: revision,
			timeout: String(scenarioMs),
			command: client.command,
			'output-dir': folder.file('results'),
		});

		expect({code, summary}).toEqual({
			code: 0,
			summary: expect.stringContaining('✓ auth/scope-step-up'),
		});
	},
);

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

import {randomInt} from 'node:crypto';
import {mkdirSync, statfsSync} from 'node:fs';
import {tmpdir, userInfo} from 'node:os';
import {join, resolve} from 'node:path';
import {defineConfig} from 'vitest/config';
import {readShare} from './tests/share.ts';

/** What tests may take up there at once, many times over. */
const neededBytes = 2e9;

/** A folder in memory where there is one with room: a home for each test, with a journal that syncs, made a sixth of the work and waited for the disk. */
function temporaryFolder(): string {
	try {
		const {bavail, bsize} = statfsSync('/dev/shm');
		if (bavail * bsize >= neededBytes) {
			const folder = join('/dev/shm', `svc-tests-${userInfo().uid}`);
			mkdirSync(folder, {recursive: true, mode: 0o700});
			return folder;
		}
	} catch {
		// No such folder, or not ours.
	}

	return tmpdir();
}

export default defineConfig({
	oxc: {jsx: {runtime: 'automatic', development: false}},
	test: {
		globalSetup: ['tests/build.mjs'],
		setupFiles: ['tests/seed.ts'],
		reporters: ['default', './tests/left-out.ts'],
		runner: './tests/runner.ts',
		tags: [
			{
				name: 'slow',
				description:
					'kills processes, opens pseudo terminals, starts foreign servers, client libraries or shells, or draws for long: `npm test` runs a share of these',
			},
		],
		provide: {share: readShare(process.env)},
		include: ['tests/**/*.test.{ts,tsx}'],
		// End-to-end tests start real processes on shared machines; this bound is for hangs, not for speed.
		testTimeout: 60_000,
		hookTimeout: 60_000,
		// Most tests wait for processes and disks: a worker a core, also where there are two.
		maxWorkers: '100%',
		// Files of a worker share what they load, Ink and the SDKs above all, which took a quarter of the time. A test that
		// changes something of its process (a mask, a spy) sets it back itself.
		isolate: false,
		// What tests make is short-lived and much: with room for the young, collecting it costs a tenth less of the processor; by the worker
		// itself, which has a core as long as others wait, a seventh less than by helpers that wait for one another. Buffers come and go with each
		// gateway and each screen: where they count as part of the heap and that may be half a gigabyte, they make V8 mark all of it no more,
		// which was a sixth of the time.
		execArgv: [
			`--import=${resolve('tests/patched-ink.mjs')}`,
			'--max-semi-space-size=128',
			'--single-threaded-gc',
			'--external-memory-accounted-in-global-limit',
			'--initial-heap-size=512',
		],
		env: {
			// What users run is React as it is shipped.
			NODE_ENV: 'production',
			// Programs that tests start find what earlier ones compiled.
			NODE_COMPILE_CACHE: resolve('node_modules/.cache/compile'),
			// All that is drawn in a run follows from it.
			SEED: process.env['SEED'] ?? `${randomInt(2 ** 31)}`,
			TMPDIR: temporaryFolder(),
		},
	},
});

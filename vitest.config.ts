import {defineConfig} from 'vitest/config';

export default defineConfig({
	test: {
		globalSetup: ['tests/build.mjs'],
		reporters: ['default', './tests/left-out.ts'],
		include: ['tests/**/*.test.{ts,tsx}'],
		// End-to-end tests start real processes on shared machines; this bound is for hangs, not for speed.
		testTimeout: 60_000,
		hookTimeout: 60_000,
		// Most tests wait for processes and disks: a worker a core, also where there are two.
		maxWorkers: '100%',
		env: {NODE_ENV: 'test'},
	},
});

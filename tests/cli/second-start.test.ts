import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import type {Context} from '../../source/cli/console/context.ts';
import {openInterface} from '../../source/cli/start/open-interface.ts';
import {ensureHome, homePaths} from '../../source/config/home-paths.ts';
import {systemClock} from '../../source/core/clock.ts';
import {lockHome} from '../../source/gateway/control/lock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {gatewayHome} from '../helpers/gateway.ts';
import {serveControl} from './command.ts';

test('of two starts in one moment, the slower one attaches to the gateway of the other', async () => {
	await using home = await gatewayHome();
	const environment = {SVC_HOME: home.path, HOME: home.path, API_ENABLED: 'false'};
	const paths = homePaths({environment});
	ensureHome(paths);
	// The other has the home, and lets nobody attach yet.
	await using stack = new AsyncDisposableStack();
	stack.use(lockHome(paths));
	const streams = {stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough()};
	let said = '';
	const {promise: attached, resolve} = Promise.withResolvers<void>();
	streams.stdout.resume();
	streams.stderr.setEncoding('utf8').on('data', (text: string) => {
		said += text;
		if (said.includes('Attached')) {
			resolve();
		}
	});
	const finished = openInterface(
		{
			...(streams as unknown as Pick<Context, 'stdin' | 'stdout' | 'stderr'>),
			environment,
			clock: systemClock,
			version: '0.0.0-test',
			paths: () => paths,
			run: async () => 0,
			exit() {},
		},
		{output: 'quiet'},
	);
	stack.use(await serveControl(home.path, createFakePort()));
	await Promise.race([attached, finished]);
	// Nobody reads any more.
	streams.stdout.destroy(Object.assign(new Error('gone'), {code: 'EPIPE'}));
	await finished;

	expect(said).toMatch(/^Attached to the gateway of process \d+\n/);
});
